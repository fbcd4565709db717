"""Search by words and by meaning, and the follower that keeps the indexes up with the catalogue."""
