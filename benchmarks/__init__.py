"""Benchmarks of speed, memory and growth. Every comparison is a ratio within one run."""
