"""Whose numbers are these: some numbers against every convention of every encoding."""
