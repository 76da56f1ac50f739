"""Search and word-by-word prediction."""
