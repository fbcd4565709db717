"""What the store's tools answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BaseModel, Field, WithJsonSchema

from rolltop.store import Added, Document, format_time

if TYPE_CHECKING:
    from rolltop.store import LineMatch

From0 = Annotated[int, Field(ge=0), WithJsonSchema({"type": "integer"})]
From1 = Annotated[int, Field(ge=1), WithJsonSchema({"type": "integer"})]
"""Numbers whose bound is not worth its tokens in `tools/list`: the error says it."""

__all__ = ["Content", "DocumentInfo", "Documents", "From0", "From1", "Line", "Stored", "info"]


class Stored(BaseModel):
    hash: str | None = Field(default=None, description="SHA-256 of the content: its address.")
    bytes_stored: int = Field(description="Bytes of the content that were new to the store.")
    bytes_deduped: int = Field(description="Bytes that were there already; both add up to the size.")
    bytes_written: int = Field(description="Bytes written to disk, after compression.")
    size: int = Field(description="Size of the content in bytes.")
    name: str | None = Field(default=None, description="Name of the document.")
    path: str = Field(description="Path of the document, or of the directory.")
    version: int | None = Field(default=None, description="Which version of this path it is, from 1.")
    outcome: str | None = Field(default=None, description="new, version (other content than before) or unchanged.")
    documents: dict[str, int] | None = Field(default=None, description="Of a directory: new, version, unchanged.")
    skipped: dict[str, int] | None = Field(
        default=None, description="What was left out: ignored (.gitignore), excluded, links, unreadable."
    )
    problems: dict[str, str] | None = Field(default=None, description="Why files were not read; the first ones.")

    @classmethod
    def of(cls, added: Added) -> Stored:
        return cls(
            hash=added.hash,
            bytes_stored=added.bytes_stored,
            bytes_deduped=added.bytes_deduped,
            bytes_written=added.bytes_written,
            size=added.document.size,
            name=added.document.name,
            path=added.document.path,
            version=added.document.version,
            outcome=added.outcome,
        )


class DocumentInfo(BaseModel):
    name: str = Field(description="Name: the last part of the path.")
    path: str = Field(description="Where it came from, or the name it was given.")
    hash: str = Field(description="SHA-256 of the content.")
    size: int = Field(description="Bytes.")
    type: str = Field(description="text, image, audio, video, archive, document or binary.")
    mime_type: str = Field(description="MIME type.")
    extension: str = Field(description="Extension with its dot.")
    created: str = Field(description="When the content was made, as far as known.")
    modified: str = Field(description="When the content was changed.")
    indexed: str = Field(description="When it was stored.")
    version: int = Field(description="Version, from 1.")
    tags: list[str] = Field(description="Tags.")
    metadata: dict[str, Any] = Field(description="Metadata, typed.")


def info(document: Document) -> DocumentInfo:
    return DocumentInfo(
        name=document.name,
        path=document.path,
        hash=document.hash,
        size=document.size,
        type=document.kind,
        mime_type=document.mime,
        extension=document.extension,
        created=format_time(document.created),
        modified=format_time(document.modified),
        indexed=format_time(document.indexed),
        version=document.version,
        tags=list(document.tags),
        metadata=dict(document.metadata),
    )


class Documents(BaseModel):
    total: int = Field(description="How many documents there are in all.")
    next_cursor: str | None = Field(default=None, description="Pass it as cursor to get the next page.")
    note: str | None = Field(default=None, description="What was not done as asked, or is missing.")
    documents: list[DocumentInfo] | None = Field(default=None, description="One page of documents.")
    paths: list[str] | None = Field(default=None, description="Only their paths, when paths_only.")
    facets: dict[str, dict[str, int]] | None = Field(default=None, description="Counts by type, mime, extension, tag.")


class Content(BaseModel):
    """A document with (part of) its content."""

    hash: str = Field(description="SHA-256 of the content.")
    name: str = Field(description="Name of the document.")
    path: str = Field(description="Path of the document.")
    size: int = Field(description="Bytes of the whole content.")
    mime_type: str = Field(description="MIME type.")
    content: str | None = Field(default=None, description="The text, when the content is text.")
    blob: str | None = Field(default=None, description="The bytes in base64, when it is not text.")
    start: int | None = Field(default=None, description="First byte of this part.")
    end: int | None = Field(default=None, description="Byte after the last one of this part.")
    start_line: int | None = Field(default=None, description="First line of this part, where lines were asked for.")
    end_line: int | None = Field(default=None, description="Last line of this part.")
    extracted: bool | None = Field(default=None, description="True: the text in the document, not its bytes.")
    pages: int | None = Field(default=None, description="Number of its last page.")
    complete: bool = Field(description="Whether this is the whole content (or all that was asked for).")
    next_offset: int | None = Field(default=None, description="Pass it as offset to get the next part.")


class Line(BaseModel):
    line_number: int = Field(description="Line, from 1.")
    line: str = Field(description="The line.")
    column_start: int = Field(description="Column of the first match, from 1.")
    column_end: int = Field(description="Column after the first match.")
    before: list[str] = Field(description="Lines before.")
    after: list[str] = Field(description="Lines after.")
    place: str | None = Field(default=None, description='Where it stands in a PDF or the like: "page 3".')

    line_from: int | None = Field(default=None, description="Column where a piece of a line too long to show begins.")
    line_length: int | None = Field(default=None, description="Characters of that whole line.")

    @classmethod
    def of(cls, match: LineMatch) -> Line:
        return cls(
            line_number=match.line_number,
            line=match.line,
            column_start=match.column_start,
            column_end=match.column_end,
            before=match.before,
            after=match.after,
            place=match.place or None,
        )
