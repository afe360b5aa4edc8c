"""The schema's numbered migrations; one that has been released is never changed."""
