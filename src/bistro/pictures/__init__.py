"""SVG pictures, for example of dependency trees and constituency trees."""
