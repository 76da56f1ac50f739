"""The hand-written English grammar: its notation, its inflection, its rules and its words."""
