"""Pictures of plain values, as SVG: trees of dependencies and of constituents."""
