"""Search by meaning, offline: a model makes a vector from every passage of every document and from the query.

A table of word vectors answers at once; a transformer on onnxruntime takes its place when it is installed and has
read the documents. Vectors are made in the background, follow the catalogue, and can be deleted: they are built again.
`fuse` joins what they find with what the keywords find.
"""

from typing import TYPE_CHECKING

from rolltop.base.lazy_imports import lazy_attributes
from rolltop.store.meaning.fusion import Blend, Candidate, Fused, fuse, unit_score
from rolltop.store.meaning.model_names import AUTO, MINILM, NONE, WORDLLAMA

if TYPE_CHECKING:
    from rolltop.store.meaning.meaning import Embedded, Meaning, Near
    from rolltop.store.meaning.models import Model, find_model, known_models, models_of

__all__ = [
    "AUTO",
    "MINILM",
    "NONE",
    "WORDLLAMA",
    "Blend",
    "Candidate",
    "Embedded",
    "Fused",
    "Meaning",
    "Model",
    "Near",
    "find_model",
    "fuse",
    "known_models",
    "models_of",
    "unit_score",
]

__getattr__ = lazy_attributes(
    __name__, {"meaning": "Embedded Meaning Near", "models": "Model find_model known_models models_of"}
)
