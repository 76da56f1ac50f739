"""Treebanks: files, trees, and what can be done to them."""
