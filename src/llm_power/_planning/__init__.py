"""How many items to run, before they are run: `llm-power plan`."""
