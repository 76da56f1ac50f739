"""Exact probabilities and parses of probabilistic grammars, computed with charts in the core."""
