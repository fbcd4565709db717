"""Run foreign code with limits: bubblewrap, rlimits, warm worker processes."""
