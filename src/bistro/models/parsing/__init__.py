"""What all dependency parsers share: symbols, evidence, options, votes, results of the core."""
