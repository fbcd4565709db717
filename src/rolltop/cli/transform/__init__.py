"""`rolltop transform`: run, check, format and explore UTL-X programs.

`group` declares the commands. `job` and `quick` run without click, so that a one-line command starts fast.
"""
