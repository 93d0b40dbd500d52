"""One builder a figure: a frame from ``calc`` and a ``Heading`` in, a Plotly figure out. Titles are in ``titles``."""
