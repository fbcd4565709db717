"""How documents belong together: versions, near duplicates, links, citations, imports, calls, rare terms, tags.

What has to be read from a document to know that, its traits, is kept in one file that can be built again; relations
themselves are looked up in it (and in the catalogue) when they are asked for. So they are never out of date: a link
leads to a document that is stored after the one that has the link, and a deleted document has no relations.
"""

from typing import TYPE_CHECKING

from rolltop.base.lazy_imports import lazy_attributes
from rolltop.store.graph.relations import Relations

if TYPE_CHECKING:
    from rolltop.store.graph.edges import KINDS, Edge, Node
    from rolltop.store.graph.walk import DEEPEST, Neighbourhood, Related

__all__ = ["DEEPEST", "KINDS", "Edge", "Neighbourhood", "Node", "Related", "Relations"]

__getattr__ = lazy_attributes(
    __name__, {"edges": "KINDS Edge Node", "walk": "DEEPEST Neighbourhood Related"}
)  # with numpy
