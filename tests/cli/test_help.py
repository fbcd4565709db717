"""Help, version, manual pages, completion, and what a mistyped command line is answered with."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import click
import pytest

from rolltop.cli.main import COMMANDS, cli
from rolltop.cli.manual import manual_pages

Rolltop = Callable[..., subprocess.CompletedProcess[str]]


def test_the_version_has_three_names(rolltop: Rolltop) -> None:
    assert rolltop("version").stdout == rolltop("-V").stdout == rolltop("--version").stdout


def test_help_is_the_help_of_the_command(rolltop: Rolltop) -> None:
    assert rolltop("help", "store", "search").stdout == rolltop("store", "search", "--help").stdout
    assert rolltop("help").stdout == rolltop("--help").stdout
    out = rolltop("help", "store", "serach")
    assert (out.returncode, "Did you mean 'search'" in out.stderr) == (2, True)


@pytest.mark.parametrize(
    ("typed", "message", "hint"),
    [
        (["store", "list", "--jsn"], "No such option '--jsn'. Did you mean --json", "`rolltop store list --help`"),
        (["stor"], "No such command 'stor'. Did you mean 'store'", "`rolltop --help`"),
        (["journal", "-n", "x"], "Invalid value for '-n' / '--limit'", "`rolltop journal --help`"),
        (["store", "get", "nothing.md"], "nothing.md", ""),
        (["--workspace", "", "store", "stats"], "the setting workspace", ""),
    ],
)
def test_errors_have_one_style(rolltop: Rolltop, typed: list[str], message: str, hint: str) -> None:
    out = rolltop(*typed)
    first, second = out.stderr.splitlines()
    assert first.startswith("Error: ")
    assert message in first
    assert second.startswith("hint: ")
    assert hint in second


def test_a_variable_that_sets_nothing_is_named_once(rolltop: Rolltop) -> None:
    out = rolltop("toolsets", ROLLTOP_TOOLSET="store", ROLLTOP_STORE_UNDO_DAYS="3")
    assert out.returncode == 0
    assert out.stderr == "Warning: the variable ROLLTOP_TOOLSET sets nothing. Did you mean ROLLTOP_TOOLSETS?\n"


def test_every_command_has_a_manual_page_with_its_options(tmp_path: Path) -> None:
    pages = manual_pages(cli)
    assert set(pages) == {"rolltop.1", *(f"rolltop-{name}.1" for name in COMMANDS)}
    for name, page in pages.items():
        file = tmp_path / name
        file.write_text(page)
        checked = subprocess.run(["man", "--warnings=w", "-l", str(file)], capture_output=True, check=True)
        assert checked.stderr == b"", name
    shown = subprocess.run(["man", "-l", str(tmp_path / "rolltop-store.1")], capture_output=True, text=True, check=True)
    assert "rolltop store search [OPTIONS] QUERY..." in shown.stdout
    assert "--similarity" in shown.stdout


def test_man_prints_its_source_in_a_pipe(rolltop: Rolltop, tmp_path: Path) -> None:
    assert rolltop("man", "store").stdout == manual_pages(cli)["rolltop-store.1"]
    rolltop("man", "--dir", str(tmp_path / "man"))
    assert (tmp_path / "man" / "rolltop.1").read_text() == manual_pages(cli)["rolltop.1"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_prints_the_script_of_a_shell(rolltop: Rolltop, shell: str) -> None:
    assert f"_ROLLTOP_COMPLETE={shell}_complete" in rolltop("completion", shell).stdout


def test_documents_tags_and_tools_are_completed(rolltop: Rolltop) -> None:
    def offered(line: str) -> list[str]:
        words = line.split(" ")
        out = rolltop(_ROLLTOP_COMPLETE="bash_complete", COMP_WORDS=line, COMP_CWORD=str(len(words) - 1))
        return [each.partition(",")[2] for each in out.stdout.split()]

    assert offered("rolltop store cat o") == []  # no store yet, and none is made
    rolltop("call", "store_text", "content=a", "name=notes/orchard.md", "tags=garden")
    rolltop("call", "store_text", "content=b", "name=other.md", "tags=gate")
    assert offered("rolltop store cat no") == ["notes/orchard.md"]
    assert offered("rolltop store cat o") == ["other.md", "orchard.md"]
    assert offered("rolltop store list --tag gar") == ["garden"]
    assert offered("rolltop call store_t") == ["store_text"]
    assert offered("rolltop connect cu") == ["cursor"]


def test_quiet_leaves_out_remarks_and_keeps_errors(rolltop: Rolltop, tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_text("a")
    assert "1 document: 1 new" in rolltop("store", "add", str(file)).stderr
    assert rolltop("store", "add", str(file), "--quiet").stderr == ""
    assert rolltop("--quiet", "store", "cat", "nothing").stderr.startswith("Error: ")


def test_pipes_have_exact_numbers(rolltop: Rolltop, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("x" * 12_345)
    rolltop("store", "add", str(tmp_path / "a.txt"))
    assert rolltop("store", "list").stdout.split("\t")[2] == "12345"
    assert "logical bytes\t12345" in rolltop("store", "stats").stdout


def test_no_command_has_two_parsers_for_one_option() -> None:
    """Every command is reached through click's declarations: each can show its own help."""
    top = click.Context(cli, info_name="rolltop")
    for name in cli.list_commands(top):
        command = cli.get_command(top, name)
        assert command is not None
        assert click.Context(command, info_name=name, parent=top).get_help()


def test_cost_adds_up_what_a_client_spent(rolltop: Rolltop) -> None:
    for number in range(2):
        rolltop("call", "store_text", f"content=a{number}", f"name={number}.txt")
    rolltop("call", "get_stats")
    [first, second] = sorted(
        line.split("\t") for line in rolltop("cost", "rolltop", "--since", "1d").stdout.splitlines()
    )
    assert (first[:3], second[:3]) == (["get_stats", "1", "0"], ["store_text", "2", "0"])
    assert int(second[3]) > 0
    assert int(second[4]) > 0
    out = rolltop("cost", "--by", "client")
    assert out.stdout.startswith("rolltop\t3\t0\t")
    assert "3 calls, about" in out.stderr
    assert rolltop("cost", "somebody").stdout == ""
