"""Cards, and where they stand."""
