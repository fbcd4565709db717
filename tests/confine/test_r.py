"""The R worker: real R, in the real sandbox."""

import asyncio
import contextlib
import json
import os
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from conditions import wait_until_async
from hypothesis import given, settings
from hypothesis import strategies as st

from rolltop.confine import Limits, Mount, RError, RWorker, Sandbox, Scratch
from rolltop.confine.channel import Channel
from rolltop.errors import Cancelled, ForeignFailure, MemoryLimit, RolltopError, SizeLimit, TimeLimit

BOX = Sandbox(Limits(seconds=20))


@pytest.fixture(scope="module")
def r() -> Iterator[RWorker]:
    with RWorker(BOX) as worker:
        yield worker


def test_a_function_is_called_by_source_and_by_name(r: RWorker) -> None:
    assert r.call("function(x, y) x * y", {"x": 6, "y": 7}).value == 42
    assert r.call("function(x, y) x - y", [1, 2]).value == -1
    assert r.call("stats::median", [[3, 1, 2]]).value == 2
    assert r.call("toupper", ["grün"]).value == "GRÜN"


def test_state_stays_between_calls(r: RWorker) -> None:
    r.evaluate("counter <- 1")
    r.evaluate("counter <- counter + 1")
    assert r.evaluate("counter").value == 2


def test_a_function_may_be_defined_again(r: RWorker) -> None:
    r.evaluate("f <- function() 1")
    assert r.call("f").value == 1
    r.evaluate("f <- function() 2")
    assert r.call("f").value == 2


@pytest.mark.parametrize(
    ("code", "value"),
    [
        ("1:3", [1, 2, 3]), ("list(a = 1, b = 'x')", {"a": 1, "b": "x"}), ("NULL", None), ("TRUE", True), ("NA", None),
        ("c(1.5, NA)", [1.5, None]), ("1/3", 1 / 3), ("Inf", None), ("'text'", "text"), ("character()", []),
        ("data.frame(n = 1:2, t = c('a', 'b'))", [{"n": 1, "t": "a"}, {"n": 2, "t": "b"}]), ("factor('b')", "b"),
        ("as.Date('2024-02-29')", "2024-02-29"), (r"""'say "hi"\n\u00fc'""", 'say "hi"\nü'), ("c(a = 1)", 1),
    ],
)  # fmt: skip
def test_values_come_back_as_json_has_them(r: RWorker, code: str, value: Any) -> None:
    assert r.evaluate(code).value == value


TEXT = st.characters(codec="utf-8", exclude_characters="\0")
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**31) + 1, 2**31 - 1) | st.text(TEXT, max_size=8),
    lambda inner: st.dictionaries(st.text("abcxyz", min_size=1, max_size=5), inner, max_size=4),
    max_leaves=8,
)  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(JSON)
def test_named_data_goes_there_and_back(r: RWorker, value: Any) -> None:
    assert r.call("function(x) x", {"x": value}).value == value


def test_arguments_keep_their_kinds(r: RWorker) -> None:
    kinds = r.call("function(...) vapply(list(...), function(x) class(x)[[1]], '')", ["a", 1, True, [1, 2], {"k": 1}])
    assert kinds.value == ["character", "integer", "logical", "integer", "list"]
    assert r.call("nrow", [[{"a": 1}, {"a": 2}]]).value == 2


def test_prints_messages_and_warnings_come_back_in_order(r: RWorker) -> None:
    answer = r.evaluate("cat('one\\n'); message('two'); warning('three'); print(4); invisible(5)")
    assert answer.printed == "one\n[1] 4\n"
    assert answer.messages == ("two",)
    assert answer.warnings == ("three",)
    assert [condition.kind for condition in answer.conditions] == ["message", "warning"]
    assert (answer.value, answer.visible) == (5, False)


def test_an_error_comes_back_with_its_call_and_trace(r: RWorker) -> None:
    code = "inner <- function(z) stop('boom ', z); outer <- function() inner(3); cat('before\\n'); outer()"
    with pytest.raises(RError, match="boom 3") as caught:
        r.evaluate(code)
    assert caught.value.condition.call == "inner(3)"
    assert caught.value.condition.trace == ("outer()", "inner(3)", 'stop("boom ", z)')
    assert caught.value.answer.printed == "before\n"


@pytest.mark.parametrize("code", ["1 +", "no_such_thing", "library(no.such.package)", "stop()", "f(", "'\\x'"])
def test_wrong_code_is_an_error_and_nothing_more(r: RWorker, code: str) -> None:
    generation = r.generation
    with pytest.raises(RError):
        r.evaluate(code)
    assert r.evaluate("1").value == 1
    assert r.generation == generation


def test_own_conditions_keep_their_class(r: RWorker) -> None:
    with pytest.raises(RError) as caught:
        r.evaluate("stop(structure(class = c('mine', 'error', 'condition'), list(message = 'm', call = NULL)))")
    assert caught.value.condition.classes[0] == "mine"


@pytest.mark.parametrize(
    "code",
    ["sink()", "sink(file='/tmp/x')", "sink(); sink(); sink()", "closeAllConnections", "for (i in 1:50) sink('/tmp/y')",
     "cat('x', file = stdout())", "system('echo loud; echo louder >&2')", "writeLines('{\"value\": 666}')",
     "options(warn = 2)",
     "rm(list = ls(all.names = TRUE))", "toJSON <- function(...) stop()", "setwd('/tmp')", "on.exit(stop('late'))"],
)  # fmt: skip
def test_code_that_meddles_with_output_does_not_disturb_the_answers(r: RWorker, code: str) -> None:
    with contextlib.suppress(RError):
        r.evaluate(code)
    assert r.evaluate("options(warn = 1); 6 * 7").value == 42


def test_values_that_are_no_data_do_not_break_anything(r: RWorker) -> None:
    for code in ("globalenv()", "function(x) x", "quote(a + b)", "sum", "new.env()", "textConnection('x')"):
        with contextlib.suppress(RError):
            r.evaluate(code)
        assert r.evaluate("1").value == 1


def test_what_takes_too_long_is_ended_and_a_new_process_starts() -> None:
    with RWorker(BOX) as r:
        r.evaluate("x <- 1")
        start = time.monotonic()
        for code in ("repeat {}", "Sys.sleep(60)", "system('sleep 60')"):
            with pytest.raises(TimeLimit):
                r.evaluate(code, timeout=0.4)
        assert time.monotonic() - start < 10
        assert r.evaluate("exists('x')").value is False
        assert r.generation == 4


@pytest.mark.parametrize(
    "code", ["quit('no')", "tools::pskill(Sys.getpid(), 9)", "system('kill -9 $PPID')", "closeAllConnections()"]
)
def test_a_crash_loses_only_that_process(code: str) -> None:
    with RWorker(BOX) as r:
        with pytest.raises(ForeignFailure):
            r.evaluate(f"{code}; Sys.sleep(5)", timeout=10)
        assert r.evaluate("1").value == 1


def test_memory_disk_and_answers_are_limited() -> None:
    limits = Limits(seconds=20, memory=600 << 20, output=100_000, tmp_size=5_000_000)
    with RWorker(Sandbox(limits)) as r:
        with pytest.raises(MemoryLimit):
            r.evaluate("x <- raw(2e9)")
        with pytest.raises(RError):
            r.evaluate("writeBin(raw(2e7), '/tmp/fill'); if (file.size('/tmp/fill') < 2e7) stop('full')")
        with pytest.raises(SizeLimit):
            r.evaluate("strrep('x', 1e6)")
        assert r.evaluate("1").value == 1


def test_r_has_no_network_and_sees_no_files_of_ours(r: RWorker) -> None:
    with pytest.raises(RError):
        r.evaluate("readLines(url('http://127.0.0.1:9/'))")
    assert r.evaluate("file.exists('/root') || file.exists('/home') || file.exists('/etc/shadow')").value is False
    assert r.evaluate("nchar(Sys.getenv('ROLLTOP_HTTP_TOKEN'))").value == 0


def test_files_and_packages_are_loaded_again_after_a_crash() -> None:
    box = Sandbox(Limits(seconds=20), files={"/project/R/double.R": b"double <- function(x) 2 * x"})
    with RWorker(box, files=["/project/R/double.R"]) as r:
        r.load(packages=["tools"])
        assert r.call("double", [4]).value == 8
        with pytest.raises(ForeignFailure):
            r.evaluate("quit('no')")
        assert r.call("double", [5]).value == 10
        assert r.evaluate("'package:tools' %in% search()").value is True


def test_a_file_that_does_not_load_is_told() -> None:
    with RWorker(BOX) as r, pytest.raises(RError):
        r.load(files=["/nowhere.R"])


def test_a_file_that_does_not_load_at_the_start_is_told_each_time() -> None:
    with RWorker(BOX, files=["/nowhere.R"]) as r:
        for _ in range(2):
            with pytest.raises(RError):
                r.evaluate("1")


def test_a_fork_that_comes_back_does_not_answer(r: RWorker) -> None:
    assert [r.evaluate(f"parallel:::mcfork(); {n}").value for n in range(5)] == list(range(5))


def test_an_answer_to_an_earlier_request_is_passed_over() -> None:
    channel = Channel(1000)

    def serve() -> None:
        with (
            os.fdopen(os.dup(channel.their_read), "rb") as requests,
            os.fdopen(os.dup(channel.their_write), "wb") as out,
        ):
            request = json.loads(requests.read(int.from_bytes(requests.read(4), "big")))
            for answer in ({"id": "another", "value": 1}, {"value": 2}, {"id": request["id"], "value": 3}):
                body = json.dumps(answer).encode()
                out.write(len(body).to_bytes(4, "big") + body)

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        assert channel.ask({"op": "x"}, 5, lambda: None)["value"] == 3
    finally:
        thread.join()
        channel.close()


def test_a_crash_shows_what_the_user_called_and_nothing_of_ours() -> None:
    with RWorker(BOX) as r, pytest.raises(ForeignFailure) as caught:
        r.evaluate("f <- function() tools::pskill(Sys.getpid(), 11); f(); Sys.sleep(5)")
    assert "caught segfault" in caught.value.details["output"]
    assert "f()" in caught.value.details["output"]
    assert "request" not in caught.value.details["output"]


def test_results_are_taken_out_of_a_scratch_directory() -> None:
    with Scratch() as scratch:
        scratch.write("data.csv", b"a,b\n1,2\n")
        with RWorker(Sandbox(Limits(seconds=20), mounts=(Mount(scratch.path, "/job", writable=True),))) as r:
            r.evaluate("d <- read.csv('/job/data.csv'); writeLines(as.character(sum(d)), '/job/sum.txt')")
        assert scratch.read("sum.txt") == b"3\n"


def test_threads_and_tasks_share_a_worker(r: RWorker) -> None:
    with ThreadPoolExecutor(8) as threads:
        assert list(threads.map(lambda n: r.call("function(n) n", [n]).value, range(40))) == list(range(40))

    async def main() -> list[Any]:
        answers = await asyncio.gather(*(r.call_async("function(n) n", [n]) for n in range(10)))
        return [answer.value for answer in answers]

    assert asyncio.run(main()) == list(range(10))


def test_a_cancelled_call_ends_the_process() -> None:
    async def main(r: RWorker) -> Any:
        task = asyncio.create_task(r.call_async("function() Sys.sleep(60)"))
        await wait_until_async(lambda: r._resident.process and r._resident.process._use.locked())
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return (await r.call_async("function() 1")).value

    with RWorker(BOX) as r:
        assert asyncio.run(main(r)) == 1


def test_a_closed_worker_says_so_and_leaves_nothing() -> None:
    r = RWorker(BOX)
    r.evaluate("1")
    assert r._resident.process is not None
    pid = r._resident.process.child.process.pid
    r.close()
    assert not os.path.exists(f"/proc/{pid}")
    with pytest.raises(Cancelled):
        r.evaluate("1")


def test_progress_is_told_before_the_answer(r: RWorker) -> None:
    seen: list[Any] = []
    code = "function(n) { for (i in seq_len(n)) rolltop_progress(list(step = i)); cat('x'); n }"
    assert r.call(code, [3], on_progress=seen.append).value == 3
    assert seen == [{"step": 1}, {"step": 2}, {"step": 3}]


def test_progress_is_told_in_the_loop(r: RWorker) -> None:
    async def main() -> tuple[Any, list[Any]]:
        seen: list[Any] = []

        def note(value: Any) -> None:
            asyncio.get_running_loop()
            seen.append(value)

        answer = await r.call_async("function() { rolltop_progress('half'); 1 }", on_progress=note)
        return answer.value, seen

    assert asyncio.run(main()) == (1, ["half"])


def test_what_a_call_leaves_running_ends_with_it(r: RWorker) -> None:
    assert r.evaluate("system('sleep 654.25 & setsid sleep 654.25 &'); 1").value == 1
    assert r.evaluate("length(system('pgrep -f 654.25', intern = TRUE))").value <= 1  # pgrep's own shell


@pytest.mark.parametrize(
    "code", ["Sys.sleep(60)", "tools::pskill(Sys.getpid(), 9)", "strrep('x', 9e6)"], ids=["time", "crash", "size"]
)
def test_what_loses_the_state_says_so(code: str) -> None:
    with RWorker(BOX) as r:
        with pytest.raises(RolltopError) as caught:
            r.evaluate(code, timeout=3)
        assert "state is lost" in (caught.value.hint or "")
