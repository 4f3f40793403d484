"""The paper's exhibits beside the printed cells: a module each, with ``make(inputs)``."""
