"""The tables of the published papers, one module each; ``python -m experiments.paper`` prints them."""
