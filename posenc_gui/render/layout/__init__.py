"""Layout arithmetic shared by all outputs, without any drawing library."""
