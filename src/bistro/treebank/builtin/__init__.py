"""The hand-written English grammar, with its notation, inflection, rules and words."""
