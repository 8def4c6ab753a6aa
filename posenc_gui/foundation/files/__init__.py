"""Files: reading with a size limit, atomic writing, a header in each file, embedded sessions, and share strings."""
