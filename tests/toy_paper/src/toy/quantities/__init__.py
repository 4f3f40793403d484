"""The quantities of the toy paper."""
