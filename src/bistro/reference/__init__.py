"""The mathematics in plain, slow Python, for students and tests."""
