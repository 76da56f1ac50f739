"""Types of the results that models return."""
