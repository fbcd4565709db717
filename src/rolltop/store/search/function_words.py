"""Words that carry the grammar of an English sentence, not its subject."""

from __future__ import annotations

__all__ = ["without_function_words"]

_FUNCTION_WORDS = frozenset(  # as one text: a list of them would fill a page
    """a about after again all also am an and any are as at be because been before being between both but by can could
    did do does doing down during each few for from had has have having he her here him his how i if in into is it its
    just me more most my no nor not now of off on once only or other our out over own she should so some such than that
    the their them then there these they this those through to too under until up us very was we were what when where
    which while who whom why will with would you your""".split()  # noqa: SIM905
)


def without_function_words(query: str) -> str:
    """The query without them; as it is where nothing else would be left."""
    kept = [word for word in query.split() if word.strip("?!.,;:").lower() not in _FUNCTION_WORDS]
    return " ".join(kept) or query
