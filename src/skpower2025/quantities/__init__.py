"""The quantities of the paper's text."""
