"""Witnesses: data sets that agree with what the paper prints about data it does not ship."""
