"""The tables of the paper, one module each."""
