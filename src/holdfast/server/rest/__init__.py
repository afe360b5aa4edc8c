"""REST: the engine's requests and reads as HTTP resources, with an OpenAPI description made from the same structs."""
