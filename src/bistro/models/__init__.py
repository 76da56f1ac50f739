"""Which events, in which contexts."""
