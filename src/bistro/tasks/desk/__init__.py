"""The annotator's desk: a file, decisions about it, and what a model suggests for the rest."""
