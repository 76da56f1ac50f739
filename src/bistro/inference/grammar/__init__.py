"""Exact probabilities and parses of probabilistic grammars, by charts in the core."""
