"""Pictures of plain values as SVG: dependency and constituency trees."""
