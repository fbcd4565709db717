"""Tool sets: argument models and thin functions over the engines."""
