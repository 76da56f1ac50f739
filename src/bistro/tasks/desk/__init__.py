"""The annotator's desk, with a file, decisions about it, and a model's suggestions for the rest."""
