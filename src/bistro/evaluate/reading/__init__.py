"""Reading times and what predicts them."""
