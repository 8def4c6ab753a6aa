"""The window: the only place, with the screen renderer, that knows Qt."""
