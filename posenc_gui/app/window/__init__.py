"""The frame: start, bar, menus, search, status."""
