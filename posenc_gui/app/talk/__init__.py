"""Bookmarks and Present."""
