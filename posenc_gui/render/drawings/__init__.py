"""Panels as parts: a file or folder a kind of panel, which every output draws alike."""
