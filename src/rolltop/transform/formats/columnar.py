"""Parquet and Arrow files by pyarrow, which is in the extra `arrow`."""

from __future__ import annotations

import datetime as dt
import io
from collections.abc import Mapping
from typing import Any

from rolltop.transform.errors import ReadFailure, WriteFailure
from rolltop.transform.formats.rows import as_bytes, library, records_of
from rolltop.transform.formats.table import Rendered
from rolltop.transform.values import fit

__all__ = ["arrow", "parquet"]


class _Columnar:
    """A format that pyarrow reads as a table, and a table as that format."""

    def __init__(self, name: str) -> None:
        self.name = name

    def read(self, data: str | bytes, options: Mapping[str, Any]) -> list[Any]:
        """An object for every row. `columns` reads only these."""
        pyarrow = library("pyarrow", "arrow", f"reading {self.name}")
        content = as_bytes(data, self.name)
        try:
            table = _parquet().read_table(io.BytesIO(content)) if self.name == "parquet" else _arrow(pyarrow, content)
            wanted = options.get("columns")
            if wanted:
                table = table.select([wanted] if isinstance(wanted, str) else wanted)
        except KeyError as error:
            raise ReadFailure(f"the file has no column {error.args[0]}") from None
        except (pyarrow.ArrowException, OSError) as error:
            raise ReadFailure(f"this is no {self.name} file: {str(error)[:200]}") from None
        return [_value(row) for row in table.to_pylist()]

    def write(self, value: Any, options: Mapping[str, Any]) -> Rendered:
        """A file of the rows; the types of the columns are those of their values."""
        pyarrow = library("pyarrow", "arrow", f"writing {self.name}")
        out = io.BytesIO()
        try:
            table = pyarrow.Table.from_pylist(records_of(value, self.name))
            if self.name == "parquet":
                _parquet().write_table(table, out, compression=str(options.get("compression", "snappy")))
            else:
                with pyarrow.ipc.new_file(out, table.schema) as writer:
                    writer.write_table(table)
        except (pyarrow.ArrowException, OSError) as error:
            raise WriteFailure(
                f"{self.name} cannot hold this: {str(error)[:200]}", hint="All values of a column have one type."
            ) from None
        return Rendered.binary(out.getvalue())


def _parquet() -> Any:
    return library("pyarrow.parquet", "arrow", "parquet")


def _arrow(pyarrow: Any, content: bytes) -> Any:
    """An Arrow file, or a stream of record batches."""
    opened = pyarrow.ipc.open_file if content.startswith(b"ARROW1") else pyarrow.ipc.open_stream
    return opened(io.BytesIO(content)).read_all()


def _value(value: Any) -> Any:
    """What Python has and the language lacks, as the nearest that it has."""
    if isinstance(value, dict):
        return {key: _value(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_value(item) for item in value]
    if isinstance(value, dt.timedelta):
        return value.total_seconds()
    return fit(value) if type(value) is int else value


parquet, arrow = _Columnar("parquet"), _Columnar("arrow")
