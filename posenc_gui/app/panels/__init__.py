"""Panels: the contents of the cards, which change or show the session."""
