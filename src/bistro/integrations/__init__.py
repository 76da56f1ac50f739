"""Bistro in other programs; each module requires its program."""
