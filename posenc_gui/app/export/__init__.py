"""Exports, in a process of their own."""
