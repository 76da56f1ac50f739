"""The common part of the families with unbounded contexts: `tags`, `trees` and `morphology`."""
