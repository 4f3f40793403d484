"""Tables as Markdown; figures as PDF, PNG and SVG."""
