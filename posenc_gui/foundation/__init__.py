"""Code that every package uses and that knows nothing of attention: wording, errors, declared models, files, colours."""
