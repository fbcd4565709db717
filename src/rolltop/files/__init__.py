"""The one file opener: every tool set that reads a file of the user reads it through `Files`.

It knows the allowed roots and what lies inside them and is still nobody's business: rolltop's own data, keys,
browser profiles, shell histories, credential stores (the table is in `denied`). A path is resolved first, its
real place is checked, and that place is then opened by the kernel with symbolic links switched off, so neither
`..`, links, races nor device files get around the check. Only regular files are ever opened.
"""

from rolltop.files.denied import Denied
from rolltop.files.obeyed_names import ObeyedNames
from rolltop.files.opener import Files
from rolltop.files.place import Info, Target, Written

__all__ = ["Denied", "Files", "Info", "ObeyedNames", "Target", "Written"]
