"""The commands: what they are asked, and where the answer goes."""
