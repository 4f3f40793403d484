"""The exhibits of the toy paper, one module each."""
