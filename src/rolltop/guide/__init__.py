"""The guide gives an agent what a project wants it to know and do: documents by expression
(`lang/python+rust,docs/api,review`), flags of the project over global ones, and the categories and
collections behind the expressions.

Everything a user set up lives in one commented YAML file that people edit too. Changes are made key
by key in transactions, so that any number of threads and processes may write at once, a killed
writer harms nobody, and nothing that the guide does not understand is lost. Documents are read from
one document root and never from outside it.

>>> guide = Guide(Path("~/.config/rolltop/guide").expanduser())     # doctest: +SKIP
>>> guide.content(guide.detect(Clues("my-app")), "lang/python").text  # doctest: +SKIP
"""

from rolltop.guide.content import Content, Limits
from rolltop.guide.detect import Clues
from rolltop.guide.flags import KNOWN, FlagValue
from rolltop.guide.flagtables import ANY, Flag
from rolltop.guide.formats import FORMATS, Document
from rolltop.guide.guide import Guide
from rolltop.guide.model import Category, Collection, Project
from rolltop.guide.session import Session

__all__ = [
    "ANY",
    "FORMATS",
    "KNOWN",
    "Category",
    "Clues",
    "Collection",
    "Content",
    "Document",
    "Flag",
    "FlagValue",
    "Guide",
    "Limits",
    "Project",
    "Session",
]
