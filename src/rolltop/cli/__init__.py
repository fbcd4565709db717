"""The command line: a thin layer over the engines, with the verbs of the library.

Data goes to standard output, everything else to standard error. Groups are loaded when they are
used, so `rolltop --version` and `rolltop --help` import neither MCP nor any engine.
"""
