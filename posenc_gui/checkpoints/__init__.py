"""Models that have learned: what a folder says before any weight is read, then passes over a text, recorded.

Only this room imports transformers, when a model is opened.
"""
