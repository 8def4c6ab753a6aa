"""What a model's folder says before any weight is read: its config, the headers of its weights, and whether it can be opened."""
