"""Tests of the command line; a package, so that its conftest has a name of its own."""
