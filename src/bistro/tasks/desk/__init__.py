"""The annotator's desk: a file, decisions about it, and a model's suggestions for the rest."""
