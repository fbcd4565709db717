"""PDF without LaTeX: pandoc's document tree, written as typst markup and set by typst in a confined process."""

from rolltop.reports.typeset.limits import CannotSet
from rolltop.reports.typeset.typesetter import Typesetter, typst_installed
from rolltop.reports.typeset.writer import Page, write_page

__all__ = ["CannotSet", "Page", "Typesetter", "typst_installed", "write_page"]
