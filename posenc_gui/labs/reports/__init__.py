"""Reports: one for each learner, and a table for a class."""
