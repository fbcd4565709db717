"""Tools at work: sandboxed R and Python processes that load sources, call tools and keep their state."""
