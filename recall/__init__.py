"""The read side."""
