"""Integrations of Bistro with other programs.

Each module requires the program that it is written for.
"""
