"""Tasks that models perform, such as parsing, scoring and next-word prediction."""
