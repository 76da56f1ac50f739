"""The annotation desk: a file, the annotator's decisions, and a model's suggestions."""
