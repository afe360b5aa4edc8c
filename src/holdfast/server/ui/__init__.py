"""The web UI's built files, and how browsers get them."""
