"""grep over the store gives the lines that GNU grep and ripgrep give, whatever the options."""

from __future__ import annotations

import itertools
import random
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from rolltop.store import Library, Pattern
from rolltop.store.grep.printer import Printed, print_matches

WORDS = [
    *("return", "foo", "foobar", "bar", "x", "async", "function", "İstanbul", "naïve", "Straße", "STRASSE", "kelvin"),
    *("\u212a", "\u017fet", "set", "日本語", "a_b", "42", "1234", "tab\there", "co-op", "a.b", "(x)", "[y]", "{z}"),
    *("\\d", "$5", "^up", "-", ""),
]

PATTERNS = [
    *("foo", "return", "nowhere_at_all", "fo+", "(foo|bar)", "foo.*bar", "^foo", "bar$", "^$", "^foo$", "a.b", r"a\.b"),
    *("[0-9]+", "[0-9]{4}", "[^a-z]", "[[:upper:]]+", r"\(x\)", "x?", "x*", "o{2}", "naïve", "na.ve", "^.{3}$"),
    *("日.語", "(a|b|)c", "ba(r|z)?", "function.*async", "k", "K", "set", "straße", "İ", r"\$5", "[]y]", "[y-]"),
    *("co-op", ".", "^.", r"\w+"),
]

UNUSUAL = [
    r"foo\z",
    r"\Afoo",
    r"\A\z",
    r"(?:\A|x)b",
    r"\pL\z",
    r"\A\p{Lu}",
    r"(?s:\Af.*r\z)",
    "\u017fet",
    "\u212aelvin",
]
UNUSUAL += ["[\u017f]et", "[^\u017f]et", "\u212a", "\u017f"]
"""What GNU grep does not know, or knows otherwise."""


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Library]:
    root = tmp_path_factory.mktemp("corpus")
    rng = random.Random(5)
    for number in range(60):
        path = root / f"d{number % 4}" / f"f{number:02d}.txt"
        path.parent.mkdir(exist_ok=True)
        lines = [" ".join(rng.choices(WORDS, k=rng.randint(0, 5))) for _ in range(rng.randint(0, 40))]
        path.write_text("\n".join(lines) + ("\n" if lines and rng.random() < 0.8 else ""))
    (root / "long.txt").write_text("".join(f"{rng.choice(WORDS)} line {i} {rng.random()}\n" for i in range(5000)))
    (root / "oneline.txt").write_text("x" * 100_000 + " foobar " + "y" * 100_000)
    library = Library(tmp_path_factory.mktemp("store") / "store")
    for path in sorted(root.rglob("*.txt")):
        library.documents.add(str(path), path.read_bytes())
    library.grep.index_pending()
    return root, library


FLAGS = {"ignore_case": "-i", "word": "-w", "invert": "-v"}


def command(program: str, pattern: str, root: Path, flags: list[str]) -> bytes:
    base = {
        "grep": ["grep", "-E", "-a", "-r"],
        "rg": ["rg", "-uuu", "-a", "--no-heading", "--sort=path", "--color=never"],
    }
    ran = subprocess.run(
        [*base[program], *flags, "-e", pattern, str(root)],
        capture_output=True,
        check=False,
        env={"LC_ALL": "C.UTF-8", "PATH": "/usr/bin:/bin"},
    )
    assert ran.returncode in (0, 1), ran.stderr
    return ran.stdout


def printed(library: Library, asked: Pattern, how: Printed) -> bytes:
    return b"".join(print_matches(library.grep.files(asked), how))


def by_file(output: bytes) -> list[bytes]:
    """GNU grep walks directories in no particular order."""
    return sorted(output.splitlines())


def combinations() -> Iterator[dict[str, bool]]:
    for values in itertools.product([False, True], repeat=3):
        yield dict(zip(FLAGS, values, strict=True))


def check_lines(program: str, corpus: tuple[Path, Library], pattern: str, options: dict[str, bool]) -> None:
    root, library = corpus
    flags = [FLAGS[name] for name, on in options.items() if on]
    expected = command(program, pattern, root, ["-n", "-H", *flags])
    found = printed(library, Pattern(pattern, **options), Printed(line_numbers=True, with_filename=True))
    assert by_file(found) == by_file(expected), (program, pattern, options)


SAMPLE = random.Random(2).sample(list(itertools.product(PATTERNS, combinations())), 40)


@pytest.mark.parametrize("program", ["grep", "rg"])
def test_the_same_lines_as_a_peer(corpus: tuple[Path, Library], program: str) -> None:
    for pattern, options in SAMPLE:
        if not known_difference(program, pattern, options):
            check_lines(program, corpus, pattern, options)


@pytest.mark.parametrize("pattern", UNUSUAL)
@pytest.mark.parametrize("options", [{}, {"ignore_case": True}, {"invert": True}], ids="".join)
def test_the_same_lines_as_ripgrep(corpus: tuple[Path, Library], pattern: str, options: dict[str, bool]) -> None:
    check_lines("rg", corpus, pattern, options)


CONTEXTS = [(0, 0, 0), (0, 0, 2), (1, 0, 0), (0, 3, 1), (2, 2, 3)]  # before, after, max_count


@pytest.mark.parametrize(("before", "after", "most"), CONTEXTS)
def test_context_and_limits_are_those_of_grep(corpus: tuple[Path, Library], before: int, after: int, most: int) -> None:
    root, library = corpus
    given = {"-B": before, "-A": after, "-m": most}
    flags = ["-n", "-H", *(text for flag, number in given.items() if number for text in (flag, str(number)))]
    how = Printed(line_numbers=True, with_filename=True, before=before, after=after)
    for pattern in ("foo", "bar$", "[0-9]{4}"):
        for path in sorted(root.rglob("*.txt"))[:12]:
            asked = Pattern(pattern, paths=(str(path),), max_count=most)
            assert printed(library, asked, how) == command("grep", pattern, path, flags), (pattern, path)


@pytest.mark.parametrize(
    "options", list(combinations()), ids=lambda options: "".join(k[0] for k, on in options.items() if on)
)
def test_counts_and_file_lists_are_those_of_ripgrep(corpus: tuple[Path, Library], options: dict[str, bool]) -> None:
    root, library = corpus
    flags = [FLAGS[name] for name, on in options.items() if on]
    for pattern in ("foo", "[0-9]+", "naïve", "nowhere_at_all"):
        asked = Pattern(pattern, **options)
        ours = {document.path: count for document, count in library.grep.counts(asked)}
        lines = command("rg", pattern, root, ["-c", "-H", *flags]).decode().splitlines()
        assert ours == {line.rpartition(":")[0]: int(line.rpartition(":")[2]) for line in lines}
        without = {document.path for document in library.grep.without(asked)}
        assert without == {str(path) for path in root.rglob("*.txt")} - ours.keys()


def test_matches_are_painted_as_grep_paints_them(corpus: tuple[Path, Library]) -> None:
    root, library = corpus
    for pattern in ("foo", "[0-9]+", "a.b"):
        path = root / "d1" / "f01.txt"
        expected = command("grep", pattern, path, ["-n", "-H", "--color=always"])
        how = Printed(line_numbers=True, with_filename=True, color=True)
        assert printed(library, Pattern(pattern, paths=(str(path),)), how) == expected


@pytest.mark.soak
@pytest.mark.parametrize("program", ["grep", "rg"])
@pytest.mark.parametrize("pattern", PATTERNS)
def test_the_same_lines_as_a_peer_in_every_combination(
    corpus: tuple[Path, Library], program: str, pattern: str
) -> None:
    for options in combinations():
        if not known_difference(program, pattern, options):
            check_lines(program, corpus, pattern, options)


def known_difference(program: str, pattern: str, options: dict[str, bool]) -> bool:
    """Where the peers disagree with each other, we follow ripgrep, or neither."""
    if program == "grep" and "[:" in pattern:
        return True  # POSIX classes are ASCII for ripgrep and us, Unicode for GNU grep
    if program == "grep" and pattern in ("k", "K", "[^a-z]") and options["ignore_case"]:
        return True  # the Kelvin sign is a k without case for ripgrep and us, not for GNU grep
    empty = pattern in ("x?", "x*", "^$", "(a|b|)c")
    return empty and options["word"]
