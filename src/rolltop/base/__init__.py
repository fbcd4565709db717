"""Small helpers that every layer may use: they know nothing of tools, engines or the protocol.

`priority` lets requests run before background work, `os_errors` translates errors of the machine, `locks` and
`atomic_files` share files between processes, `lazy_imports` keeps `import rolltop.x` cheap, `streams` handles
standard input and output.
"""
