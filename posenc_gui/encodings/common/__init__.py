"""Code shared by several encodings."""
