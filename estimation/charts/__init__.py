"""Plots drawn on the server, as SVG."""
