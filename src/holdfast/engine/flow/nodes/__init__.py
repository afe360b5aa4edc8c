"""The built-in node types, one family a module: their parameters, their ports, and what they do."""
