"""Templates, the formats that people read, and the JSON twin of every page."""

from __future__ import annotations

import html
import re
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import jinja2
import orjson
from markdown_it import MarkdownIt
from markupsafe import Markup, escape
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name, guess_lexer_for_filename
from pygments.util import ClassNotFound
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

__all__ = ["code_html", "compact_json", "markdown_html", "problem", "respond", "templates"]

LONGEST_HIGHLIGHTED = 200_000
"""Characters of code that are coloured; more is shown plain."""


def respond(request: Request, template: str, data: Mapping[str, Any], status: int = 200, **only_html: Any) -> Response:
    """The page, or its JSON twin where the address ends in `.json`. `only_html` is left out of the twin."""
    if request.path_params.get("twin"):
        return Response(
            orjson.dumps(data, default=str, option=orjson.OPT_INDENT_2), status, media_type="application/json"
        )
    state = request.state
    context = {
        **data,
        **only_html,
        "request": request,
        "path": request.url.path,
        "form_token": getattr(state, "form_token", ""),
        "nonce": getattr(state, "nonce", ""),
        "backend": request.app.state.backend,
        "read_only": request.app.state.backend.settings.read_only,
        "pending": getattr(state, "pending", 0),
        "twin_url": _twin_url(request),
    }
    return HTMLResponse(templates.get_template(template).render(context), status)


def problem(request: Request, message: str | None, hint: str | None) -> Response:
    """The page for a form that could not be carried out."""
    return respond(request, "problem.html", {"message": message or "This failed.", "hint": hint or ""}, 422)


def _twin_url(request: Request) -> str:
    path = "/index" if request.url.path == "/" else request.url.path
    return f"{path}.json" + (f"?{request.url.query}" if request.url.query else "")


def bytes_text(value: float | None) -> str:
    if value is None:
        return "unknown"
    size = float(value)
    for unit in ("B", "kB", "MB", "GB"):
        if size < 1000:
            return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.1f} TB"


def seconds_text(value: float) -> str:
    if value < 0.001:
        return "< 1 ms"
    if value < 1:
        return f"{value * 1000:.0f} ms"
    return f"{value:.1f} s" if value < 100 else f"{value / 60:.0f} min"


def ago(value: float | str | None) -> Markup:
    """A relative time with the exact one as its title."""
    moment = _moment(value)
    if moment is None:
        return Markup("unknown")
    age = max(0.0, time.time() - moment.timestamp())
    for limit, size, unit in ((90, 1, "s"), (5400, 60, "min"), (129600, 3600, "h"), (1e12, 86400, "days")):
        if age < limit:
            text = f"{age / size:.0f} {unit} ago"
            break
    exact = moment.strftime("%Y-%m-%d %H:%M:%S UTC")
    return Markup('<time datetime="{}" title="{}">{}</time>').format(moment.isoformat(), exact, text)


def _moment(value: float | str | None) -> datetime | None:
    if value is None or value == "":
        return None
    if isinstance(value, str):
        try:
            parsed = datetime.fromisoformat(value.replace("Z", "+00:00"))
        except ValueError:
            return None
        return parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)
    return datetime.fromtimestamp(value, UTC)


def plural(count: int, one: str, many: str | None = None) -> str:
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def pretty_json(value: Any) -> str:
    return orjson.dumps(value, default=str, option=orjson.OPT_INDENT_2).decode()


def compact_json(value: Any) -> str:
    return orjson.dumps(value, default=str).decode()


_markdown = MarkdownIt("commonmark", {"html": False, "linkify": False}).enable("table").enable("strikethrough")


def markdown_html(text: str) -> Markup:
    """Markdown of a document: raw HTML in it is shown, never obeyed."""
    return Markup(_markdown.render(text))  # noqa: S704 - html is off: every tag in the text is escaped


def marked(text: str, query: str) -> Markup:
    """The words of a query marked in a snippet, with their endings."""
    words = [re.escape(word) for word in re.findall(r"\w{3,}", query)[:20]]
    if not words:
        return escape(text)
    parts = re.split(rf"\b((?:{'|'.join(words)})\w{{0,4}})", text, flags=re.IGNORECASE)
    return Markup("").join(Markup("<mark>{}</mark>").format(part) if at % 2 else part for at, part in enumerate(parts))


_formatter = HtmlFormatter(nowrap=True, classprefix="hl-")


def code_html(text: str, filename: str = "", language: str = "") -> Markup:
    """Code with classes for its colours."""
    if len(text) > LONGEST_HIGHLIGHTED:
        return Markup(html.escape(text))  # noqa: S704
    try:
        lexer = get_lexer_by_name(language) if language else guess_lexer_for_filename(filename, text)
    except ClassNotFound:
        return Markup(html.escape(text))  # noqa: S704
    return Markup(highlight(text, lexer, _formatter))  # noqa: S704 - the formatter escapes


templates = jinja2.Environment(
    loader=jinja2.PackageLoader("rolltop.web", "templates"),
    autoescape=True,
    trim_blocks=True,
    lstrip_blocks=True,
)
templates.filters.update(
    bytes=bytes_text,
    seconds=seconds_text,
    ago=ago,
    pretty=pretty_json,
    code=code_html,
    markdown=markdown_html,
    marked=marked,
)
templates.tests["endswith_html"] = lambda name: str(name).endswith(".html")
templates.globals.update(plural=plural)
