"""Kinds of values, conversions, logs and the machine."""
