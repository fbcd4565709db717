"""The default model: quick word vectors at once, MiniLM as soon as it knows the documents."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest
from conditions import wait_until

from rolltop.store import Library, Options
from rolltop.store import meaning as meanings
from rolltop.store.meaning import meaning as meaning_module
from rolltop.store.meaning.models import models_of
from rolltop.store.search import hybrid_search

NOTES = {
    "soup.md": "Simmer the onions slowly in butter, add stock, and serve with toasted bread and cheese.",
    "startup.md": "The application now opens in half the time, because modules are loaded when they are first needed.",
    "travel.md": "The train leaves the harbour at nine and crosses the mountains before noon.",
}
ASKED = "how did we make launching faster"


@pytest.fixture(autouse=True)
def _installed_models(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(meanings, "models_of", models_of)
    monkeypatch.setattr(meaning_module, "SLOWLY", 60.0)


def filled(place: Path, **options: bool) -> Library:
    library = Library(place / "store", Options(**options))
    for name, text in NOTES.items():
        library.documents.add_text(name, text)
    return library


def test_auto_stands_for_the_installed_models_with_the_quickest_first() -> None:
    assert models_of("auto") == ("wordllama", "minilm")
    assert models_of("minilm") == ("minilm",)


def test_a_small_store_is_answered_by_the_better_model_at_once(tmp_path: Path) -> None:
    with filled(tmp_path) as library:
        found = library.search.semantic(ASKED, limit=3)
    assert (found.model, found.embedded) == ("minilm", 1.0)
    assert found.hits[0].document.path == "startup.md"


def test_the_quick_model_answers_until_the_better_one_knows_the_documents(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(meaning_module, "SOON_DONE", 0)
    with filled(tmp_path) as library:
        assert library.search.hybrid(ASKED).model == "wordllama"
        library.search.embed()
        assert library.search.hybrid(ASKED).model == "minilm"


def test_the_background_embeds_with_both_models(tmp_path: Path) -> None:
    with filled(tmp_path, background=True) as library:
        library.search.hybrid(ASKED)
        wait_until(lambda: all(each.state().share == 1 for each in library.search.meanings))


def test_a_large_store_is_left_to_the_quick_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(meaning_module, "SOON_DONE", 0)
    monkeypatch.setattr(hybrid_search, "MOST_PASSAGES", 1)
    with filled(tmp_path, background=True) as library:
        assert library.search.hybrid(ASKED).model == "wordllama"
        assert library.search._embed_pending(lambda: False) is True
        quick, better = library.search.meanings
        assert (quick.state().share, better.is_open) == (1, False)


def test_collected_documents_leave_the_vectors_of_both_models(tmp_path: Path) -> None:
    with filled(tmp_path) as library:
        library.search.embed()
        library.documents.delete([library.documents.get("soup.md")])
        library.care.collect(everything=True)
        for each in library.search.meanings:
            assert each.state().documents == len(NOTES) - 1


def test_the_command_line_says_which_model_answers(
    rolltop: Callable[..., CompletedProcess[str]], tmp_path: Path
) -> None:
    note = tmp_path / "startup.md"
    note.write_text(NOTES["startup.md"])
    assert rolltop("store", "add", str(note), ROLLTOP_STORE_MODEL="auto").returncode == 0
    listed = json.loads(rolltop("store", "models", "--json", ROLLTOP_STORE_MODEL="auto").stdout)
    assert listed["chosen"] == "auto"
    assert [(model["name"], model["active"]) for model in listed["models"]] == [
        ("wordllama", listed["active"] == "wordllama"),
        ("minilm", listed["active"] == "minilm"),
    ]
