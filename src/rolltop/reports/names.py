"""Names of documents, outputs and side files, and the URIs that carry them.

A document's name is one safe path component. Everything that reaches the file system goes through
here first, so no name can leave the directory, hide in it, or mean something to R, TeX or a shell.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import Literal
from urllib.parse import quote, unquote

from rolltop.errors import InvalidInput

__all__ = [
    "FIGURE_SCHEME",
    "OUTPUT_SCHEME",
    "SOURCE_ENDINGS",
    "SOURCE_SCHEME",
    "Reference",
    "document_name",
    "figure_name",
    "figure_uri",
    "mime_type",
    "output_name",
    "output_uri",
    "parse_uri",
    "side_name",
    "source_uri",
    "stem_of",
]

SOURCE_SCHEME = "rmd"
OUTPUT_SCHEME = "rmd-output"
FIGURE_SCHEME = "rmd-figure"

SOURCE_ENDINGS = (".Rmd", ".rmd", ".qmd")
OUTPUT_ENDINGS = (".html", ".pdf", ".docx", ".pptx", ".md", ".ipynb")
FIGURE_ENDINGS = (".png", ".jpg", ".jpeg", ".svg", ".pdf")

MIME_TYPES = {
    ".rmd": "text/markdown",
    ".qmd": "text/markdown",
    ".md": "text/markdown",
    ".html": "text/html",
    ".pdf": "application/pdf",
    ".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    ".pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    ".ipynb": "application/x-ipynb+json",
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".svg": "image/svg+xml",
}

_LONGEST, _LONGEST_IN_BYTES = 120, 200
"""Without the ending: file systems allow 255 bytes, and results and figures get longer names than their document."""
_LONGEST_IN_FILE_SYSTEM = 255
_RULE = (
    "a name has letters, digits, spaces and . _ - ( ) + in it, begins with a letter or digit, "
    f"up to {_LONGEST} characters or {_LONGEST_IN_BYTES} bytes"
)
# Word characters of any script are welcome; quotes, $, %, #, ~ and the like mean something to R, TeX or a shell.
_COMPONENT = re.compile(r"(?!_)\w[\w .()+-]*", re.UNICODE)
_UNSEEN = re.compile("[\u034f\u180b-\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef]")
"""Marks that show nothing: two names could look the same."""
_RESERVED = {"output"}
"""`rmd/output` holds what was rendered, so no document may have its side files there."""


def document_name(given: str) -> str:
    """The file name of a document, with its extension: `example` and `example.Rmd` both give `example.Rmd`."""
    stem = given[:-4] if given.lower().endswith((".rmd", ".qmd")) else given
    _check_component(stem, "filename")
    if stem.lower() in _RESERVED:
        raise InvalidInput(f"filename cannot be {stem!r}: that directory holds the rendered documents")
    return given if given.endswith(SOURCE_ENDINGS) else f"{stem}.Rmd"


def stem_of(name: str) -> str:
    """The document's name without its extension; side files live in a directory of that name."""
    return name[:-4]


def output_name(given: str) -> str:
    """The file name of a rendered document, checked."""
    if not given.endswith(OUTPUT_ENDINGS):
        raise InvalidInput("a rendered document ends in .html, .pdf, .docx, .pptx, .md or .ipynb")
    _check_component(given.rpartition(".")[0], "the name of the output")
    return given


def figure_name(given: str) -> str:
    if not given.lower().endswith(FIGURE_ENDINGS):
        raise InvalidInput("a figure ends in .png, .jpg, .svg or .pdf")
    _check_component(given.rpartition(".")[0], "the name of the figure")
    return given


def mime_type(name: str) -> str:
    return MIME_TYPES.get("." + name.rpartition(".")[2].lower(), "text/plain")


def side_name(given: str) -> str:
    """A relative path below the side-file directory: any names that a file system takes, joined by `/`."""
    if given.startswith("/"):
        raise InvalidInput(
            "the name of the side file begins with /", hint="Give a path below the document's own files."
        )
    parts = given.split("/")
    if len(parts) > 8:
        raise InvalidInput("a side file lies at most eight directories deep")
    for part in parts:
        _check_side_part(part)
    return given


def _check_side_part(text: str) -> None:
    if text in ("", ".", ".."):
        raise InvalidInput("the name of the side file has a part that is empty, . or ..")
    if any(unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp") for character in text):
        raise InvalidInput("the name of the side file has control characters, line ends or lone surrogates in it")
    if len(text.encode()) > _LONGEST_IN_FILE_SYSTEM:
        raise InvalidInput(f"the name of the side file is longer than {_LONGEST_IN_FILE_SYSTEM} bytes")


def _check_component(text: str, what: str) -> None:
    if not text:
        raise InvalidInput(f"{what} is empty or has an empty part", hint=f"Choose another one: {_RULE}.")
    if len(text) > _LONGEST or len(text.encode("utf-8", "replace")) > _LONGEST_IN_BYTES:
        raise InvalidInput(f"{what} is too long", hint=f"Choose a shorter one: {_RULE}.")
    # Marks that belong to a letter (accents, vowel signs) are no word characters to `re`, but part of a word.
    letters = text[0] + "".join(each for each in text[1:] if not _is_mark(each))
    if not _COMPONENT.fullmatch(letters) or text.endswith((" ", ".")):
        raise InvalidInput(f"{what} is not a safe file name", hint=f"Choose another one: {_RULE}.")


def _is_mark(character: str) -> bool:
    return unicodedata.category(character) in ("Mn", "Mc") and not _UNSEEN.match(character)


@dataclass(frozen=True, slots=True)
class Reference:
    """What a URI names: a document, a rendered document, or a figure of a document (`stem/figure`)."""

    kind: Literal["source", "output", "figure"]
    name: str
    stem: str = ""


def parse_uri(uri: str) -> Reference:
    """Read `rmd:///…`, `rmd-output:///…` or `rmd-figure:///…`; anything else is `invalid_request`."""
    scheme, separator, rest = uri.partition(":///")
    path = unquote(rest)
    try:
        match scheme if separator else "":
            case "rmd" if path.endswith(SOURCE_ENDINGS):
                return Reference("source", document_name(path))
            case "rmd-output":
                return Reference("output", output_name(path))
            case "rmd-figure" if path.count("/") == 1:
                stem, _, figure = path.partition("/")
                return Reference("figure", figure_name(figure), stem_of(document_name(f"{stem}.Rmd")))
    except InvalidInput as error:
        raise _malformed(f": {error.message}") from None
    raise _malformed("")


def _malformed(why: str) -> InvalidInput:
    return InvalidInput(
        f"Invalid URI format{why}",
        code="invalid_request",
        hint="Use rmd:///name.Rmd, rmd-output:///name.html (.pdf, .docx, .pptx, .md, .ipynb) or rmd-figure:///name/figure.png.",
    )


def source_uri(name: str) -> str:
    return f"{SOURCE_SCHEME}:///{quote(name)}"


def output_uri(name: str) -> str:
    return f"{OUTPUT_SCHEME}:///{quote(name)}"


def figure_uri(stem: str, name: str) -> str:
    return f"{FIGURE_SCHEME}:///{quote(stem)}/{quote(name)}"
