"""Attention: the toy model, and the walk through the three doors. It knows no encoding by name."""
