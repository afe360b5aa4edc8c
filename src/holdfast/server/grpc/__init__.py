"""gRPC: the engine as the services of holdfast.v1, for workers and clients in any language."""
