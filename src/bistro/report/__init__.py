"""Pages, pictures and tables for reports."""
