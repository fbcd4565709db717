"""Known-item sets: questions that one document answers, made from documentation and code on this machine.

A question must have one answer: documents with the same text, pages that share a heading (license texts, release notes)
and headings or docstrings that come twice are left out. Both sets can hide from the document what is asked with: the
first sentence of a docstring always is, a heading where `hidden`.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from find import files
from find import functions as _functions

LONGEST = 20_000
A_PAGE = 2
"""Headings of one page that are asked for."""
_HEADING = re.compile(r"^(?:#{1,3} (.+)|([A-Z][^\n]{8,80})\n[=~-]{4,}[ \t]*)$", re.MULTILINE)

Documents = list[tuple[str, str]]
Asked = list[tuple[str, str]]


@dataclass(frozen=True)
class KnownItems:
    """Documents, and (question, path) with the path of the document that answers, in two halves."""

    name: str
    documents: Documents
    tuning: Asked
    reporting: Asked

    def limited(self, count: int) -> KnownItems:
        """With fewer documents; a question stays in its half."""
        wanted = list(dict.fromkeys(path for _, path in [*self.tuning, *self.reporting]))
        kept = set(random.Random(3).sample(wanted, min(len(wanted), count * 2 // 3)))
        rest = [path for path, _ in self.documents if path not in set(wanted)]
        kept |= set(rest[: count - len(kept)])
        halves = [[each for each in half if each[1] in kept] for half in (self.tuning, self.reporting)]
        return KnownItems(self.name, [each for each in self.documents if each[0] in kept], *halves)


def functions(count: int = 3000) -> KnownItems:
    documents, asked = _functions()
    wanted = {path for _, path in asked}
    rng = random.Random(3)
    first = [each for each in documents if each[0] in wanted and len(each[1]) < LONGEST]
    rest = [each for each in documents if each[0] not in wanted and len(each[1]) < LONGEST]
    kept = (rng.sample(first, min(len(first), count * 2 // 3)) + rng.sample(rest, len(rest)))[:count]
    paths = {path for path, _ in kept}
    return _halved("docstring to function", kept, [each for each in asked if each[1] in paths])


def headings(count: int = 900, *, hidden: bool) -> KnownItems:
    """A heading asks for its page, as it is or without that heading."""
    pages = _distinct((path, text) for path, text in files() if path.endswith((".md", ".rst", ".txt")))
    pages = [(path, text) for path, text in pages if len(text) < LONGEST]
    holders = Counter(words for _, text in pages for words in {asked for asked, _ in _headings(text)})
    rng, documents, asked = random.Random(1), [], []
    for path, text in pages:
        own = [each for each in _headings(text) if holders[each[0]] == 1]
        chosen = rng.sample(own, min(A_PAGE, len(own)))
        asked += [(words, path) for words, _ in chosen]
        documents.append((path, _without(text, [line for _, line in chosen]) if hidden else text))
    name = "hidden heading to page" if hidden else "heading to page"
    return _halved(name, *_chosen(documents, asked, count))


def _without(text: str, lines: list[str]) -> str:
    for line in lines:
        text = text.replace(line, "", 1)
    return text


def _headings(text: str) -> Iterator[tuple[str, str]]:
    """(the words that ask for it, how it is written) of headings with three to eight words."""
    for match in _HEADING.finditer(text):
        words = re.findall(r"[A-Za-z]{2,}", match[1] or match[2])
        if 3 <= len(words) <= 8:
            yield " ".join(words).lower(), match[0]


def _distinct(documents: Iterator[tuple[str, str]]) -> list[tuple[str, str]]:
    return list({text: (path, text) for path, text in documents}.values())


def _chosen(documents: Documents, asked: Asked, count: int) -> tuple[Documents, Asked]:
    """So many documents, two thirds of them asked for."""
    rng = random.Random(3)
    texts = dict(_distinct(iter(documents)))
    once = Counter(question for question, _ in asked)
    asked = [(question, path) for question, path in asked if once[question] == 1 and path in texts]
    rng.shuffle(asked)
    wanted = list(dict.fromkeys(path for _, path in asked))[: count * 2 // 3]
    rest = sorted(texts.keys() - {path for _, path in asked})
    paths = {*wanted, *rng.sample(rest, min(len(rest), count - len(wanted)))}
    return [(path, texts[path]) for path in sorted(paths)], [each for each in asked if each[1] in paths]


def _halved(name: str, documents: Documents, asked: Asked) -> KnownItems:
    """In two halves, then without the questions that have more than one answer."""
    questions, texts = Counter(question.lower() for question, _ in asked), Counter(text for _, text in documents)
    content = dict(documents)
    halves = [
        [(q, path) for q, path in half if questions[q.lower()] == 1 and texts[content[path]] == 1]
        for half in (asked[::2], asked[1::2])
    ]
    return KnownItems(name, documents, *halves)
