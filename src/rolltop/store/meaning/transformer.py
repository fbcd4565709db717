"""The layers of a BERT encoder as an ONNX graph, built from its weights.

Products with weights are done in eight bits (weights by column when the graph is built, activations when they come);
everything else is in floats. Embedding the tokens and pooling the result are a few lines of numpy beside the graph, so
the graph holds an eighth of the weights' bytes and the table of tokens stays on disk, read where it is needed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rolltop.store.meaning import onnx

__all__ = ["Shape", "encoder"]

Weights = Mapping[str, NDArray[np.float32]]

_DOMAIN = "com.microsoft"


@dataclass(frozen=True, slots=True)
class Shape:
    """What a configuration says about an encoder."""

    layers: int
    heads: int
    width: int
    epsilon: float


def encoder(weights: Weights, shape: Shape) -> bytes:
    """A model from `hidden` (batch, length, width) and `mask` (batch, length) to `encoded`."""
    graph = _Graph(weights, shape)
    state = "hidden"
    for number in range(shape.layers):
        state = graph.layer(number, state)
    graph.nodes.append(onnx.node("Identity", [state], ["encoded"]))
    dims: list[int | str] = ["batch", "length", shape.width]
    return onnx.model(
        graph.nodes,
        graph.constants,
        [onnx.value("hidden", "float32", dims), onnx.value("mask", "int32", ["batch", "length"])],
        [onnx.value("encoded", "float32", dims)],
        {"": 17, _DOMAIN: 1},
    )


class _Graph:
    """Nodes and constants as they come."""

    def __init__(self, weights: Weights, shape: Shape) -> None:
        self._weights = weights
        self._shape = shape
        self.nodes: list[bytes] = []
        self.constants: list[bytes] = []

    def layer(self, number: int, state: str) -> str:
        at = f"encoder.layer.{number}"
        parts = [self._product(f"{at}.attention.self.{part}", state, bias=True) for part in ("query", "key", "value")]
        self._add("MultiHeadAttention", [*parts, "", "mask"], f"{at}.attended", num_heads=self._shape.heads)
        joined = self._product(f"{at}.attention.output.dense", f"{at}.attended")
        middle = self._normalised(f"{at}.attention.output", joined, state)
        wide = self._product(f"{at}.intermediate.dense", middle)
        self._add("BiasGelu", [wide, self._constant(f"{at}.intermediate.dense.bias")], f"{at}.activated")
        narrow = self._product(f"{at}.output.dense", f"{at}.activated")
        return self._normalised(f"{at}.output", narrow, middle)

    def _product(self, name: str, state: str, *, bias: bool = False) -> str:
        self.constants += _quantised(name, self._weights[f"{name}.weight"].T)
        last = [self._constant(f"{name}.bias")] if bias else []
        self._add("DynamicQuantizeMatMul", [state, f"{name}.bytes", f"{name}.scale", f"{name}.zero", *last], name)
        return name

    def _normalised(self, name: str, state: str, skipped: str) -> str:
        constants = (f"{name}.LayerNorm.weight", f"{name}.LayerNorm.bias", f"{name}.dense.bias")
        inputs = [state, skipped, *(self._constant(each) for each in constants)]
        self._add("SkipLayerNormalization", inputs, f"{name}.normalised", epsilon=float(self._shape.epsilon))
        return f"{name}.normalised"

    def _constant(self, name: str) -> str:
        self.constants.append(onnx.tensor(name, self._weights[name]))
        return name

    def _add(self, kind: str, inputs: list[str], output: str, **options: int | float) -> None:
        self.nodes.append(onnx.node(kind, inputs, [output], domain=_DOMAIN, **options))


def _quantised(name: str, matrix: NDArray[np.float32]) -> Iterator[bytes]:
    """A matrix in bytes, with a scale for each column."""
    scale = (np.abs(matrix).max(axis=0) / 127).astype(np.float32)
    scale[scale == 0] = 1
    yield onnx.tensor(f"{name}.bytes", np.rint(matrix / scale).astype(np.int8))
    yield onnx.tensor(f"{name}.scale", scale)
    yield onnx.tensor(f"{name}.zero", np.zeros(len(scale), np.int8))
