"""Tasks that models perform, such as search and word-by-word prediction."""
