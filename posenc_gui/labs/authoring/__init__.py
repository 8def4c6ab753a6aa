"""Writing and checking labs."""
