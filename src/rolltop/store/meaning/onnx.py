"""Writes an ONNX model, as far as a graph of one transformer needs it: messages of protocol buffers, by hand.

The `onnx` package would do the same with 70 MB. The numbers are the field numbers of ONNX's published schema.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["model", "node", "tensor", "value"]

_TYPES = {"float32": 1, "uint8": 2, "int8": 3, "int32": 6, "int64": 7}
_IR_VERSION = 8


def model(
    nodes: Iterable[bytes],
    initializers: Iterable[bytes],
    inputs: Iterable[bytes],
    outputs: Iterable[bytes],
    opsets: dict[str, int],
) -> bytes:
    """A whole model; `opsets` are the versions of the operator sets by domain."""
    graph = b"".join(
        [
            *(_field(1, each) for each in nodes),
            _field(2, b"rolltop"),
            *(_field(5, each) for each in initializers),
            *(_field(11, each) for each in inputs),
            *(_field(12, each) for each in outputs),
        ]
    )
    used = (_field(8, _field(1, domain.encode()) + _number(2, version)) for domain, version in opsets.items())
    return _number(1, _IR_VERSION) + _field(2, b"rolltop") + _field(7, graph) + b"".join(used)


def node(kind: str, inputs: Sequence[str], outputs: Sequence[str], *, domain: str = "", **options: Any) -> bytes:
    """One operation. Options are whole numbers, floats or lists of whole numbers."""
    return b"".join(
        [
            *(_field(1, name.encode()) for name in inputs),
            *(_field(2, name.encode()) for name in outputs),
            _field(4, kind.encode()),
            *(_field(5, _attribute(name, given)) for name, given in options.items()),
            _field(7, domain.encode()),
        ]
    )


def tensor(name: str, numbers: NDArray[Any]) -> bytes:
    """Constant numbers."""
    dims = b"".join(_number(1, size) for size in numbers.shape)
    kind = _number(2, _TYPES[numbers.dtype.name])
    return dims + kind + _field(8, name.encode()) + _field(9, np.ascontiguousarray(numbers).tobytes())


def value(name: str, kind: str, dims: Sequence[int | str]) -> bytes:
    """An input or output; a dimension that varies has a name."""
    shape = b"".join(_field(1, _number(1, d) if isinstance(d, int) else _field(2, d.encode())) for d in dims)
    return _field(1, name.encode()) + _field(2, _field(1, _number(1, _TYPES[kind]) + _field(2, shape)))


def _attribute(name: str, given: float | int | Sequence[int]) -> bytes:
    head = _field(1, name.encode())
    if isinstance(given, float):
        return head + b"\x15" + np.float32(given).tobytes() + _number(20, 1)
    if isinstance(given, int):
        return head + _number(3, given) + _number(20, 2)
    return head + b"".join(_number(8, each) for each in given) + _number(20, 7)


def _field(number: int, payload: bytes) -> bytes:
    return _varint(number << 3 | 2) + _varint(len(payload)) + payload


def _number(number: int, given: int) -> bytes:
    return _varint(number << 3) + _varint(given & (1 << 64) - 1)


def _varint(given: int) -> bytes:
    out = bytearray()
    while given > 0x7F:
        out.append(given & 0x7F | 0x80)
        given >>= 7
    out.append(given)
    return bytes(out)
