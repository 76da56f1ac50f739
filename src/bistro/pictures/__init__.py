"""SVG pictures of plain values, such as dependency and constituency trees."""
