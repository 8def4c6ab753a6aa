"""Forms generated from declared models."""
