"""Checkpoints: models that have learned, read from a folder. Only this room imports transformers, when a model is opened."""
