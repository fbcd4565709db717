"""The one file opener: allowed roots, no way around them."""
