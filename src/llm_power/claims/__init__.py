"""Claims under audit: a register of printed numbers, held against the files of a run."""
