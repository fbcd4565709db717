"""What a render hands back: the answer, the knitted text, and failures with their place in the document."""
