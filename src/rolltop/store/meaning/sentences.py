"""Transformers that make one vector from a text, on onnxruntime: MiniLM, and others from a folder.

A folder of sentence-transformers is understood as it is published. Weights of a BERT in `model.safetensors` run in
eight bits through a graph that is built from them; any other architecture runs if its folder has an ONNX graph.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rolltop.errors import InvalidData, PartMissing
from rolltop.store.meaning.embedder import fingerprint, readable
from rolltop.store.meaning.fusion import Blend
from rolltop.store.meaning.transformer import Shape, encoder

__all__ = ["GRAPHS", "WEIGHTS", "Files", "SentenceModel", "is_bert"]

WEIGHTS = "model.safetensors"
GRAPHS = ("model.onnx", "onnx/model.onnx")

_RECIPE = "sentences-1"
_LONGEST = 256
"""Tokens of a text that count; sentence models are trained on less."""
_CHARACTERS = 4 * _LONGEST
_TEXT_LIMIT = 8 * _CHARACTERS
"""Characters that are tokenized at most, to find the first tokens."""

Run = Callable[[NDArray[np.int64], NDArray[np.int64]], NDArray[np.float32]]


@dataclass(frozen=True, slots=True)
class Files:
    """Where the parts of a model are. `graph` is an ONNX file; without one, `weights` are those of a BERT."""

    tokenizer: Path
    graph: Path | None = None
    weights: Path | None = None
    config: Path | None = None
    pooling: Path | None = None


class SentenceModel:
    """An `Embedder`. One thread: it works beside everything else."""

    reach = _CHARACTERS
    quick = False
    blend = Blend(nearness=4.0)
    noise = 0.1

    def __init__(self, name: str, files: Files) -> None:
        self.name = name
        self._first_token = _pools_first_token(files.pooling)
        self._tokenizer = _tokenizer(files.tokenizer)
        self._run = _ready_graph(files.graph) if files.graph else _built_graph(files)
        self.fingerprint = fingerprint(_RECIPE, files.tokenizer, *filter(None, [files.graph, files.weights]))
        self.width = self.embed(["a"]).shape[1]

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        rows = [self._vector(text) for text in texts]
        return np.concatenate(rows) if rows else np.zeros((0, self.width), np.float32)

    def _vector(self, text: str) -> NDArray[np.float32]:
        """Of one text alone. Texts that run together have to be as long as the longest of them, which costs more than
        it gives on one thread; and activations in eight bits would depend on the company."""
        encoded = self._tokenizer.encode(readable(text[:_TEXT_LIMIT]))
        tokens, mask = np.array([encoded.ids], np.int64), np.array([encoded.attention_mask], np.int64)
        states = self._run(tokens, mask)
        pooled = states[:, 0] if self._first_token else _mean(states, mask)
        unit: NDArray[np.float32] = pooled / np.maximum(np.linalg.norm(pooled, axis=1, keepdims=True), 1e-12)
        return unit


def _mean(states: NDArray[np.float32], mask: NDArray[np.int64]) -> NDArray[np.float32]:
    """The mean over the tokens that are text."""
    weights = mask[:, :, None].astype(np.float32)
    mean: NDArray[np.float32] = (states * weights).sum(axis=1) / np.maximum(weights.sum(axis=1), 1)
    return mean


def _tokenizer(path: Path) -> Any:
    from tokenizers import Tokenizer  # noqa: PLC0415

    try:
        tokenizer = Tokenizer.from_file(str(path))
    except Exception as error:  # tokenizers raises nothing more particular
        raise InvalidData(f"{path} is not a tokenizer: {error}") from error
    tokenizer.enable_truncation(_LONGEST)
    tokenizer.no_padding()
    return tokenizer


def _pools_first_token(path: Path | None) -> bool:
    return path is not None and bool(_json(path).get("pooling_mode_cls_token"))


def _json(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise InvalidData(f"{path} cannot be read: {error}") from error
    if not isinstance(found, dict):
        raise InvalidData(f"{path} is not a JSON object")
    return found


# running ---------------------------------------------------------------------------------------------


def _session(model: bytes | str, what: Path) -> Any:
    try:
        import onnxruntime  # noqa: PLC0415
    except ImportError:
        from rolltop.base.installation import add_extra  # noqa: PLC0415 - only a failure needs it

        raise PartMissing(
            "onnxruntime is not installed; models other than the default run on it",
            hint=f"Install it with: {add_extra('minilm')}",
        ) from None
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4
    try:
        return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime's errors have no common base but this one
        raise InvalidData(f"{what} cannot be run: {str(error).strip()[:300]}") from error


def _ready_graph(path: Path) -> Run:
    """A graph as it was exported: tokens and mask in, states of the last layer out."""
    session = _session(str(path), path)
    names = {each.name for each in session.get_inputs()}
    unknown = names - {"input_ids", "attention_mask", "token_type_ids"}
    if "input_ids" not in names or unknown:
        raise InvalidData(f"{path} is no sentence model: its inputs are {', '.join(sorted(names))}")

    def run(tokens: NDArray[np.int64], mask: NDArray[np.int64]) -> NDArray[np.float32]:
        given = {"input_ids": tokens, "attention_mask": mask, "token_type_ids": np.zeros_like(tokens)}
        states: NDArray[np.float32] = session.run(None, {name: given[name] for name in names})[0]
        if states.ndim != 3:
            raise InvalidData(f"{path} is no sentence model: it does not answer with a state for each token")
        return states

    return run


def _built_graph(files: Files) -> Run:
    """A graph made from the weights of a BERT."""
    assert files.weights is not None
    assert files.config is not None
    weights, shape = _weights(files.weights), _shape(files.config)
    try:
        session = _session(encoder(weights, shape), files.weights)
        tables = [weights[f"embeddings.{name}_embeddings.weight"] for name in ("word", "position", "token_type")]
        scale, shift = weights["embeddings.LayerNorm.weight"], weights["embeddings.LayerNorm.bias"]
    except KeyError as error:
        raise InvalidData(f"{files.weights} are not the weights of a BERT: {error} is not among them") from error

    def run(tokens: NDArray[np.int64], mask: NDArray[np.int64]) -> NDArray[np.float32]:
        words, positions, kinds = tables
        summed = words[tokens] + positions[: tokens.shape[1]] + kinds[0]
        hidden = _normalised(summed, shape.epsilon) * scale + shift
        states: NDArray[np.float32] = session.run(None, {"hidden": hidden, "mask": mask.astype(np.int32)})[0]
        return states

    return run


def _normalised(states: NDArray[np.float32], epsilon: float) -> NDArray[np.float32]:
    middle: NDArray[np.float32] = states - states.mean(axis=-1, keepdims=True)
    middle /= np.sqrt((middle**2).mean(axis=-1, keepdims=True) + np.float32(epsilon))
    return middle


def _weights(path: Path) -> dict[str, NDArray[np.float32]]:
    from safetensors.numpy import load_file  # noqa: PLC0415

    try:
        tensors = load_file(path)
    except Exception as error:  # safetensors' error has no public name in all versions
        raise InvalidData(f"{path} cannot be read: {error}") from error
    return {name.removeprefix("bert."): each.astype(np.float32) for name, each in _floats(tensors)}


def _floats(tensors: dict[str, NDArray[Any]]) -> Iterator[tuple[str, NDArray[Any]]]:
    return ((name, each) for name, each in tensors.items() if each.dtype.kind == "f")


def is_bert(path: Path) -> bool:
    """Whether a configuration is that of a BERT whose weights can be run without a graph."""
    config = _json(path)
    return config.get("model_type") == "bert" and config.get("hidden_act") == "gelu"


def _shape(path: Path) -> Shape:
    config = _json(path)
    if not is_bert(path):
        raise InvalidData(
            f"{path.parent} holds a model of type {config.get('model_type')!r}; weights are read of 'bert' with gelu",
            hint="Other models run if the folder has an ONNX graph: model.onnx or onnx/model.onnx.",
        )
    try:
        layers, heads = int(config["num_hidden_layers"]), int(config["num_attention_heads"])
        return Shape(layers, heads, int(config["hidden_size"]), float(config.get("layer_norm_eps", 1e-12)))
    except (KeyError, TypeError, ValueError) as error:
        raise InvalidData(f"{path} does not describe a model: {error}") from error
