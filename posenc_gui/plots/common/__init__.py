"""Shared by several plots: heads, axes and curves."""
