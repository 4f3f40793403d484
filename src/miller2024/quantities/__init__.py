"""The worked numbers of the paper's text, one idea a module."""
