"""What is remembered of a document so that its relations can be looked up."""

from __future__ import annotations

from dataclasses import dataclass

from rolltop.store.extract import Extracted
from rolltop.store.extract.import_statements import LANGUAGES, family_of, files_meant, import_statements
from rolltop.store.extract.worker_pool import Studied
from rolltop.store.graph.builtin_names import is_usual
from rolltop.store.graph.references import Reference, import_of, references_of
from rolltop.store.graph.sketch import Sketch, sketch_of
from rolltop.store.graph.terms import telling_terms

__all__ = ["Traits", "traits_of"]

SHORTEST_NAME = 4
"""Shorter names are called by everybody."""

MOST_IMPORTS = 300


@dataclass(frozen=True, slots=True)
class Traits:
    """References, names defined and called (`family:name`), telling terms, and the sketch of the text."""

    references: tuple[Reference, ...] = ()
    defines: tuple[str, ...] = ()
    calls: tuple[str, ...] = ()
    terms: tuple[str, ...] = ()
    sketch: Sketch | None = None


def traits_of(text: Extracted, extension: str, studied: Studied | None = None) -> Traits:
    """By the document alone. `studied` is what a parser found in code; without it, lines that look so."""
    language = LANGUAGES.get(extension)
    references = references_of(text)
    if language is None:
        return Traits(tuple(references), terms=tuple(telling_terms(text)), sketch=sketch_of(text.body))
    found = studied or Studied(
        {symbol.name: symbol.line for symbol in text.symbols}, (), tuple(import_statements(text.body, language))
    )
    family = family_of(language)
    imports = dict.fromkeys(import_of(path) for line in found.imports for path in files_meant(line, language))
    return Traits(
        tuple(sorted({*references, *list(imports)[:MOST_IMPORTS]})),
        tuple(sorted({f"{family}:{name}" for name in found.defines if len(name) >= SHORTEST_NAME})),
        tuple(sorted({f"{family}:{name}" for name in found.calls if _is_telling(name, family)})),
        tuple(telling_terms(text)),
        sketch_of(text.body),
    )


def _is_telling(name: str, family: str) -> bool:
    return len(name) >= SHORTEST_NAME and not is_usual(name, family)
