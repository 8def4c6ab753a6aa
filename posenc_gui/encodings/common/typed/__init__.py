"""Formulas that people type, `p[m, i] = …`: read, evaluated as data, typeset, and written as PyTorch. Nothing typed is run."""
