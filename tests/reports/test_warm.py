"""A warm R outlives what documents do to the fork that renders them, or is replaced; the next document never pays."""

from __future__ import annotations

from typing import Any

import pytest

from rolltop.reports import RenderFailure, RenderOptions, Reports, ReportsConfig

FAST = RenderOptions(engine="fast", fresh=True, timeout=30)


@pytest.fixture(scope="module")
def warm(run: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    place = tmp_path_factory.mktemp("warm")
    config = ReportsConfig(renderer="local", slots=1)
    made = Reports(place / "rmd", config, cache=place / "cache", engine_host="unix:///nowhere")
    made.documents.create("good", "Good", "Sum: `r 1 + 1`\n")
    yield made
    made.close()


def pool_of(reports: Reports) -> Any:
    return reports.renderers.named("local").pool  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "code",
    [
        "quit()",
        "tools::pskill(Sys.getpid(), 11)",
        "unlink(tempdir(), recursive = TRUE)",
        "Sys.chmod(tempdir(), '000')",
    ],
)
def test_a_document_that_harms_its_r_harms_no_other(warm: Reports, run: Any, code: str) -> None:
    warm.documents.create("bad", "Bad", f"```{{r}}\n{code}\n```\n", overwrite=True)

    async def scenario() -> Any:
        await pool_of(warm).ready()
        (used,) = pool_of(warm).pool_for().ready
        with pytest.raises(RenderFailure):
            await warm.render("bad", FAST)
        assert not used.alive
        return await warm.render("good", FAST)

    run(scenario())
    assert b"Sum: 2" in warm.outputs.read("good.html")


def test_what_programs_print_never_holds_a_render_up(warm: Reports, run: Any) -> None:
    chatty = "```{r}\nsystem('seq 1 100000 >&2')\n```\n\nDone: `r 6 * 7`\n"
    warm.documents.create("chatty", "Chatty", chatty, overwrite=True)

    async def scenario() -> None:
        await pool_of(warm).ready()
        (used,) = pool_of(warm).pool_for().ready
        for _ in range(2):
            await warm.render("chatty", FAST)
            assert pool_of(warm).pool_for().ready == (used,)

    run(scenario())
    assert b"Done: 42" in warm.outputs.read("chatty.html")


def test_a_render_that_ended_r_says_what_was_printed_last(warm: Reports, run: Any) -> None:
    last = "```{r}\nsystem('echo last words >&2')\nquit()\n```\n"
    warm.documents.create("last", "Last", last, overwrite=True)
    run(pool_of(warm).ready())
    with pytest.raises(RenderFailure, match="without an answer") as caught:
        run(warm.render("last", FAST))
    assert "last words" in caught.value.details["log"]
