"""Code that is common to the families with unbounded contexts: `tags`, `trees` and `morphology`."""
