"""Remote: the engine port over gRPC, for workers and clients in processes of their own."""
