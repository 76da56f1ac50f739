"""The tables of the published papers, one module each, for ``python -m experiments.paper``."""
