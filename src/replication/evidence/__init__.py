"""Rows of evidence, and what rounded numbers can be."""
