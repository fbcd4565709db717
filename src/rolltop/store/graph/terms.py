"""The words that a document is about: which it repeats or puts into headings, and which are not everybody's words."""

from __future__ import annotations

import re
from collections import Counter

from rolltop.store.extract import Extracted

__all__ = ["telling_terms"]

MOST_TERMS = 32
FEWEST_TERMS = 8
"""A short text is about fewer things: a third of its words, but so many."""
LONGEST = 256 << 10
"""Characters that are looked at: a text says soon what it is about, and a step must not hold up requests."""
_WORD = re.compile(r"[^\W\d_][\w-]{3,40}")
_SHAPED = re.compile(r"\d|_|[a-z][A-Z]")

_COMMON = """
    about above according across actually after again against almost along already also although always among another
    anything around because become been before being below best better between beyond both call called came cannot case
    certain come could default different does doing done down during each either else enough even every everything
    example except false file files find first following found from further general gets give given goes going great
    have having hence here high however important include included including information instead into itself just keep
    kind know known large last later least left less like line list little long look made main make makes making many
    maybe mean means might more most much must name names need needed needs never next none note nothing number often
    once only onto open order other others otherwise over part people perhaps place point possible rather read really
    result return returns right same second section seem seen self several shall should show shown side simple since
    single small some someone something sometimes start state still such sure take taken than thank thanks that their
    them then there therefore these they thing things think this those though three through thus time times together
    true type under unless until upon used user uses using usually value values very want wanted well were what when
    where whether which while will with within without word words work would write written year years your
    aber alle allen aller alles also andere anderen auch beim bereits dabei dann dass dazu denn dessen diese diesem
    diesen dieser dieses doch dort durch eine einem einen einer eines etwa gegen haben hatte hier immer jede jeder
    jedes kann kein keine können könnte mehr muss nach nicht noch nur oder ohne schon sehr sein seine seinen seiner
    sich sind sondern über unter viele vom wenn werden wird wurde wurden zwischen
    async await bool break catch class const continue define elif else endif enum export extends final finally float
    function import include interface lambda namespace null object package pass print private protected public raise
    static string struct super switch template throw throws typedef typename void yield none true false self this args
    kwargs todo param params index item items data text test tests http https html
"""
_EVERYBODYS = frozenset(_COMMON.split())


def telling_terms(text: Extracted) -> list[str]:
    """At most `MOST_TERMS` words in lower case; they depend on this document alone."""
    shaped: set[str] = set()
    counts: Counter[str] = Counter()
    for word, count in Counter(_WORD.findall(text.body[:LONGEST])).items():
        lowered = word.lower()
        if lowered not in _EVERYBODYS:
            counts[lowered] += count
            if _SHAPED.search(word):
                shaped.add(lowered)
    headed = {word.lower() for heading in (text.title, *text.headings) for word in _WORD.findall(heading)}
    scores = {word: _score(word, count, word in shaped, word in headed) for word, count in counts.items()}
    most = min(MOST_TERMS, max(FEWEST_TERMS, len(scores) // 3))
    return sorted(scores, key=lambda word: (-scores[word], word))[:most]


def _score(word: str, count: int, shaped: bool, headed: bool) -> float:
    """Repeating says most, up to a point; names, codes and long words are rarely everybody's."""
    return min(count, 6) * (1.5 if shaped else 1.0) * (1.3 if len(word) >= 8 else 1.0) + (4.0 if headed else 0.0)
