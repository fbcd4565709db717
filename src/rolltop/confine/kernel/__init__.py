"""What the Linux kernel offers a process to limit itself, called directly: no library stands between.

The modules here import nothing of rolltop but each other, because the launcher uses them too.
"""
