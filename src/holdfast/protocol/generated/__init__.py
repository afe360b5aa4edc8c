"""Generated from the .proto files by `make proto`; not to be edited."""
