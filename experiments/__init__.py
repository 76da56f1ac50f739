"""Experiments, one file per table: the figures of papers and of Bistro on the same data."""
