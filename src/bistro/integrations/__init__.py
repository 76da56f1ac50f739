"""Bistro inside other programs; each module needs the program it is for."""
