"""The exhibits of the paper, one module each."""
