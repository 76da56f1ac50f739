"""The tables of published papers, one module per paper, for ``python -m experiments.paper``."""
