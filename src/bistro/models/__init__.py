"""Families of models: one folder each, behind one registry and one set of abilities."""
