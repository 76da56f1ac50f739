"""Speed, memory and growth; every comparison is a ratio within one run."""
