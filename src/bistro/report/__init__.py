"""Pictures, pages and tables."""
