"""Code that `tags`, `trees` and `morphology`, the families with unbounded contexts, share."""
