"""The machine that replicates any paper: printed numbers, exhibits, witnesses, downloads."""
