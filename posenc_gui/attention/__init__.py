"""Attention: the toy model and the forward pass through the three doors. No encoding is known by name here."""
