"""The result types of all abilities."""
