"""A lab's prose and formulas as HTML and as plain text."""
