"""The mathematics in plain, slow Python: read by students, used by tests."""
