"""Timer indexes: what is due, as the database says it, or as an index outside of it does."""
