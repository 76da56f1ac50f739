"""Strings to integers."""
