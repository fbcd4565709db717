"""Opens a directory and builds the engines from settings: the composition root."""
