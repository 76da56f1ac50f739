"""Integrations of Bistro into other programs. Each module requires its program."""
