"""The scene behind every picture: the sentence, its token order, the encodings and the model."""
