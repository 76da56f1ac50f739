"""Treebanks: files, trees, and operations on them."""
