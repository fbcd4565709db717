"""Words: cutting texts into them, their one form, their stems, and words that are nearly the same."""
