"""Access: who is let in, what they may do there, how much of it, and what is written down about it."""
