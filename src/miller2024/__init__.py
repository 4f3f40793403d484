"""Miller (2024), Adding Error Bars to Evals, arXiv:2411.00640: its tables and worked numbers."""
