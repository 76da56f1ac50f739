"""The families of models, with one folder per family."""
