"""Reference implementations of the models in plain, slow Python, for students and tests."""
