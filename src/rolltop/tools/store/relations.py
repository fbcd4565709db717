"""Related documents in an answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, Field

if TYPE_CHECKING:  # numpy comes with them: most calls do without
    from rolltop.store import Found, Library, Neighbourhood, Related

__all__ = ["RelatedDocument", "related_to"]

LENGTH = 600
"""About so many characters of an answer are kept for each of them."""
MOST = 100


class RelatedDocument(BaseModel):
    hash: str = Field(description="SHA-256 of the content.")
    path: str = Field(description="Path of the document.")
    distance: int = Field(description="Steps from the document that was asked for.")
    relations: list[str] = Field(
        description="version, near_duplicate, link, citation, import, call, rare_terms or tag; the strongest first."
    )
    weight: float = Field(description="Of the strongest, up to 1.")
    reason: str = Field(description="Why they are related.")
    via: str = Field(description="Path of the document that led here.")

    @classmethod
    def of(cls, related: Related) -> RelatedDocument:
        return cls(
            hash=related.node.hash,
            path=related.node.document.path,
            distance=related.distance,
            relations=[edge.kind for edge in related.edges],
            weight=related.weight,
            reason="; ".join(edge.reason for edge in related.edges),
            via=related.via.document.path,
        )


def related_to(library: Library, found: Found, depth: int, budget: int) -> dict[str, Any]:
    """The fields of an answer with the documents around one."""
    limit = max(1, min(MOST, budget // LENGTH))
    around = library.graph.related(library.graph.node(found.document, found.object.id), depth, limit)
    return {
        "graph_enabled": True,
        "related_documents": [RelatedDocument.of(related) for related in around.related],
        "related_complete": around.complete and not around.behind,
        "related_note": _missing(around, limit),
    }


def _missing(around: Neighbourhood, limit: int) -> str | None:
    if around.behind:
        return f"{around.behind} changes have not been looked at yet: ask again in a moment."
    if around.complete:
        return None
    if len(around.related) >= limit:
        return f"More are related than the {limit} that are shown; a smaller depth shows the nearest alone."
    return "A document has more relations of one kind than are shown; those with the most weight are."
