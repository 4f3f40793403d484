"""A paper that nobody wrote: two tables and a figure, from its printed cells to its audit."""
