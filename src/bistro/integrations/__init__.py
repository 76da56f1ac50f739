"""Integrations of Bistro into other programs.

Each module requires the program that it is written for.
"""
