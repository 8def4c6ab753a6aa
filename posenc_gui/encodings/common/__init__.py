"""What encodings of a kind share."""
