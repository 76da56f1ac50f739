"""Reading times and their predictors."""
