"""What the families with unbounded contexts share: `tags`, `trees` and `morphology`."""
