"""The common parts of all dependency parsers: symbols, evidence, options, votes, core results."""
