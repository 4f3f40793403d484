"""Tables as CSV, Markdown and LaTeX; figures as PDF, PNG and SVG."""
