"""From source text to tree and back: tokens, parser with error recovery, header, canonical formatter."""
