"""Code that all dependency parsers share."""
