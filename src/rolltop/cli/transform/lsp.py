"""`rolltop transform lsp`: the language server for editors, over `transform.editor`."""

from __future__ import annotations

import os
import sys
from typing import Any

import click

from rolltop.errors import PartMissing

__all__ = ["lsp"]


@click.command()
def lsp() -> None:
    """Serve an editor on standard input and output: findings, hover, completion, formatting of .utlx files.

    Editors start it themselves. editors/vscode has an extension for Visual Studio Code.
    """
    server = build_server()
    # The server closes what it writes to; standard output is flushed once more when the command ends.
    with open(os.dup(sys.stdout.fileno()), "wb") as out:
        server.start_io(sys.stdin.buffer, out)


def build_server() -> Any:
    """The server with its features."""
    try:
        from lsprotocol import types
        from pygls.lsp.server import LanguageServer
    except ModuleNotFoundError:
        raise PartMissing(
            "the language server needs pygls, which is not installed",
            hint="Install it with: pip install 'rolltop[lsp]'",
        ) from None
    from rolltop import __version__
    from rolltop.transform import editor
    from rolltop.transform.diagnostics import Diagnostic

    server = LanguageServer("rolltop-utlx", __version__)
    severities = {
        "error": types.DiagnosticSeverity.Error,
        "warning": types.DiagnosticSeverity.Warning,
        "info": types.DiagnosticSeverity.Information,
    }
    kinds = {
        "function": types.CompletionItemKind.Function,
        "variable": types.CompletionItemKind.Variable,
        "keyword": types.CompletionItemKind.Keyword,
        "format": types.CompletionItemKind.EnumMember,
    }

    def published(found: Diagnostic) -> types.Diagnostic:
        start = types.Position(found.line - 1, found.column - 1)
        end = types.Position(found.line - 1, found.column - 1 + max(1, found.length))
        message = f"{found.message}\n{found.hint}" if found.hint else found.message
        return types.Diagnostic(types.Range(start, end), message, severities[found.severity], found.code, source="utlx")

    def check(uri: str) -> None:
        document = server.workspace.get_text_document(uri)
        found = [published(item) for item in editor.findings(document.source)]
        server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, found, document.version))

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def opened(params: types.DidOpenTextDocumentParams) -> None:
        check(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def changed(params: types.DidChangeTextDocumentParams) -> None:
        check(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    def hover(params: types.HoverParams) -> types.Hover | None:
        document = server.workspace.get_text_document(params.text_document.uri)
        shown = editor.hover(document.source, document.offset_at_position(params.position))
        return None if shown is None else types.Hover(types.MarkupContent(types.MarkupKind.Markdown, shown))

    @server.feature(types.TEXT_DOCUMENT_COMPLETION, types.CompletionOptions(trigger_characters=["$", "."]))
    def complete(params: types.CompletionParams) -> list[types.CompletionItem]:
        document = server.workspace.get_text_document(params.text_document.uri)
        found = editor.completions(document.source, document.offset_at_position(params.position))
        return [
            types.CompletionItem(
                item.label, kind=kinds[item.kind], detail=item.detail or None, documentation=item.documentation or None
            )
            for item in found
        ]

    @server.feature(types.TEXT_DOCUMENT_FORMATTING)
    def format_(params: types.DocumentFormattingParams) -> list[types.TextEdit]:
        document = server.workspace.get_text_document(params.text_document.uri)
        text = editor.formatted(document.source)
        if text is None or text == document.source:
            return []
        whole = types.Range(types.Position(0, 0), types.Position(document.source.count("\n") + 1, 0))
        return [types.TextEdit(whole, text)]

    return server
