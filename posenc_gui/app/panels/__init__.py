"""Panels: what stands in the cards, and changes or shows the session."""
