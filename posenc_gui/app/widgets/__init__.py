"""Reusable controls that do not depend on the session."""
