"""Families of models, with one folder per family."""
