"""What the window holds in memory and keeps on disk."""
