"""Related documents in an answer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, Field

if TYPE_CHECKING:  # numpy comes with them: most calls do without
    from rolltop.store import Found, Neighbourhood, Related
    from rolltop.workspace import Workspace

__all__ = ["RelatedDocument", "origin_of", "related_to"]

LENGTH = 600
"""About so many characters of an answer are kept for each of them."""
MOST = 100


class RelatedDocument(BaseModel):
    hash: str = Field(description="SHA-256 of the content.")
    path: str = Field(description="Path of the document.")
    distance: int = Field(description="Steps from the document that was asked for.")
    relations: list[str] = Field(
        description="derived, version, near_duplicate, link, citation, import, call, rare_terms, tag; strongest first."
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


def related_to(workspace: Workspace, found: Found, depth: int, budget: int) -> dict[str, Any]:
    """The fields of an answer with the documents around one: what it was made from and into, then the others."""
    library, limit = workspace.store, max(1, min(MOST, budget // LENGTH))
    around = library.graph.related(library.graph.node(found.document, found.object.id), depth, limit)
    related = {each.hash: each for each in derived_from(workspace, found)}
    for each in map(RelatedDocument.of, around.related):
        if (known := related.get(each.hash)) is None:
            related[each.hash] = each
        else:
            known.relations += each.relations
            known.reason += f"; {each.reason}"
    return {
        "graph_enabled": True,
        "related_documents": list(related.values())[:limit],
        "related_complete": around.complete and not around.behind,
        "related_note": _missing(around, limit),
    }


def origin_of(workspace: Workspace, digest: str) -> dict[str, Any]:
    """The fields of an answer that say how content was made; none for what was stored as it is."""
    making = workspace.origins.made(digest=digest)
    if making is None:
        return {}
    told = {name: getattr(making, name) for name in ("tool", "time", "seconds", "client", "principal", "versions")}
    used = [{"role": part.role, "uri": part.uri, "hash": part.hash} for part in making.inputs]
    return {"made_by": told, "made_from": used}


def derived_from(workspace: Workspace, found: Found) -> Iterator[RelatedDocument]:
    """Documents that this one was made from, and those that were made of it."""
    origins, digest = workspace.origins, found.object.hex
    making = origins.made(digest=digest)
    near = [(part, f"made from it by {making.tool}") for part in making.inputs] if making else []
    near += [(part, f"made of it by {used.tool}") for used in origins.used(digest) for part in used.outputs]
    for part, reason in near:
        document = (
            workspace.store.documents.by_hash(part.hash)
            if part.uri.startswith("doc://") and part.hash != digest
            else None
        )
        if document is not None:
            yield RelatedDocument(
                hash=part.hash,
                path=document.document.path,
                distance=1,
                relations=["derived"],
                weight=1.0,
                reason=reason,
                via=found.document.path,
            )


def _missing(around: Neighbourhood, limit: int) -> str | None:
    if around.behind:
        return f"{around.behind} changes have not been looked at yet: ask again in a moment."
    if around.complete:
        return None
    if len(around.related) >= limit:
        return f"More are related than the {limit} that are shown; a smaller depth shows the nearest alone."
    return "A document has more relations of one kind than are shown; those with the most weight are."
