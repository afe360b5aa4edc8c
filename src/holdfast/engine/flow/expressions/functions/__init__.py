"""The function library, one family of values a module; none of them can see a clock, a file or a Python object."""
