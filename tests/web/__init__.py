"""Tests of the server and its page; a package, so that its conftest has a name of its own."""
