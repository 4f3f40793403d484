"""Claims under audit: a register of printed numbers, compared with the files of a run."""
