"""jq 1.8 from its Python binding: `transform_jq.py array|lines INPUT OUTPUT PROGRAM`."""

from __future__ import annotations

import sys

import jq


def main(kind: str, source: str, target: str, program: str) -> None:
    compiled = jq.compile(program)
    with open(source) as data, open(target, "w") as out:
        if kind == "array":
            out.write(compiled.input_text(data.read()).text())
        else:
            for line in data:
                text = compiled.input_text(line).text()
                if text:
                    out.write(text + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:5])
