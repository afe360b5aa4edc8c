"""The statements that copy a whole database, one a file."""
