"""Tables and stories for a terminal; imported only when a person is looking, for they load rich."""
