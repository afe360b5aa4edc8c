"""The work of flow nodes that reach out: http and smtp, fenced in; secrets are put in at the last moment."""
