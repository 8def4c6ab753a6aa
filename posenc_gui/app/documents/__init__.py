"""Session files, recovery, history."""
