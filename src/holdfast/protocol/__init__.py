"""The wire: the contract as .proto files, the modules generated from them, and the mapping to the model."""
