"""Bistro: Bayesian Inference for Syntactic TRees and Orders."""
