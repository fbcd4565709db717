"""Tool sets: argument models and thin functions over the engines.

Each set is a package (or a module) of its own with a `TOOLSET`, found through the entry point group
`rolltop.toolsets`. README.md is the template for a tool.
"""
