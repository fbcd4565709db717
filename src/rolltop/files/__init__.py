"""The one file opener: every tool set opens files of the user through `Files`.

It knows the allowed roots and what stays closed inside them: rolltop's own data, keys, browser profiles, shell
histories, credentials (the table is in `denied`). A path is resolved, its real place is checked, and the kernel opens
that place with symbolic links switched off, so `..`, links, races and device files do not get around the check. Only
regular files are opened. A file is written only under a name that no other program obeys (`obeyed_names`); a new one
outside the temporary directory and the export folder needs a human's consent, which `Target` carries.
"""

from rolltop.files.denied import Denied
from rolltop.files.obeyed_names import ObeyedNames
from rolltop.files.opener import Files
from rolltop.files.place import Info, Target, Written, absolute

__all__ = ["Denied", "Files", "Info", "ObeyedNames", "Target", "Written", "absolute"]
