"""The renderers: tables as CSV, Markdown and LaTeX; figures as PDF, PNG and SVG."""
