"""Treebank files, trees, and operations on them."""
