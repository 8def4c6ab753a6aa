"""The definition of labs: data model, file format, expressions, bundled labs, and learners' records."""
