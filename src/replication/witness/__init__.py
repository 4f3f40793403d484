"""Data sets that agree with what a paper prints about data it does not ship."""
