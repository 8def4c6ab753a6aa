"""Exports: the dialog, batches, and the process that draws and writes files."""
