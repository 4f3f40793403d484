"""The command line as ``python -m llm_power``."""

from llm_power._cli import console

if __name__ == "__main__":
    console()
