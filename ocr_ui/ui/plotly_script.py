"""Plotly's script for the page's modules, as its Python package brings it: Gradio keeps its own to itself."""

from __future__ import annotations

from importlib.resources import files

import plotly

PLOTLY = files("plotly") / "package_data" / "plotly.min.js"
PLOTLY_URL = f"/static-plotly/{plotly.__version__}.js"
"""With the version: a browser keeps it until there is another."""
