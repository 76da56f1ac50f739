"""Exact probabilities and parses under probabilistic grammars, computed with charts in the core."""
