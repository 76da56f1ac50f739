"""Creation of reports with pictures, pages and tables."""
