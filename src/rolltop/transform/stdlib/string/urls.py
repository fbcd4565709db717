"""URLs taken apart and put together, and query strings."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import SplitResult, parse_qsl, quote, unquote_plus, urlencode, urlsplit, urlunsplit

from rolltop.transform.errors import fail
from rolltop.transform.stdlib.declare import function
from rolltop.transform.values import kind_of, scalar_text

_URL = '"https://ann@example.com:8443/a/b?x=1&y=2&x=3#top"'


def _split(url: str) -> SplitResult:
    try:
        return urlsplit(url.strip())
    except ValueError as error:
        fail(f"this is no URL: {error}", hint=_HINT)


def _port(parts: SplitResult) -> int | None:
    try:
        return parts.port
    except ValueError as error:
        fail(f"this is no URL: {error}", hint=_HINT)


_HINT = "A URL looks like https://example.com:8080/path?key=value#part."


_MOST_PARAMETERS = 10_000


def _pairs_of(query: str) -> list[tuple[str, str]]:
    try:
        return parse_qsl(query, keep_blank_values=True, max_num_fields=_MOST_PARAMETERS)
    except ValueError:
        fail(f"the query has more than {_MOST_PARAMETERS} parameters", hint='Split it with split(query, "&").')


def _params(query: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in _pairs_of(query):
        present = found.get(key)
        if present is None:
            found[key] = value
        else:
            found[key] = [*present, value] if isinstance(present, list) else [present, value]
    return found


@function(
    "parseURL(url: String): Object",
    category="string",
    examples=[
        (f"parseURL({_URL}).host", '"example.com"'),
        (f"parseURL({_URL}).queryParams", '{x: ["1", "3"], y: "2"}'),
        ('parseURL("/only/a/path")', '{path: "/only/a/path", url: "/only/a/path"}'),
    ],
)
def parse_url(url: str) -> dict[str, Any]:
    """The parts of a URL: protocol, host, port, path, query, queryParams, fragment, authority, userInfo, url.

    Parts that the URL does not have are left out.
    """
    parts = _split(url)
    found = {
        "protocol": parts.scheme,
        "host": parts.hostname,
        "port": _port(parts),
        "path": parts.path,
        "query": parts.query,
        "queryParams": _params(parts.query),
        "fragment": parts.fragment,
        "authority": parts.netloc,
        "userInfo": parts.netloc.rpartition("@")[0],
        "url": url,
    }
    return {name: part for name, part in found.items() if part not in ("", None, {})}


@function("getProtocol(url: String): String?", category="string", examples=[(f"getProtocol({_URL})", '"https"')])
def get_protocol(url: str) -> str | None:
    """The scheme of a URL, such as https; null when it has none."""
    return _split(url).scheme or None


@function("getHost(url: String): String?", category="string", examples=[(f"getHost({_URL})", '"example.com"')])
def get_host(url: str) -> str | None:
    """The host of a URL in lower case; null when it has none."""
    return _split(url).hostname or None


@function(
    "getPort(url: String): Integer?",
    category="string",
    examples=[(f"getPort({_URL})", "8443"), ('getPort("https://example.com")', "null")],
)
def get_port(url: str) -> int | None:
    """The port that a URL names, or null."""
    return _port(_split(url))


@function("getURLPath(url: String): String?", category="string", examples=[(f"getURLPath({_URL})", '"/a/b"')])
def get_url_path(url: str) -> str | None:
    """The path of a URL, as it is encoded; null when it has none."""
    return _split(url).path or None


@function("getQuery(url: String): String?", category="string", examples=[(f"getQuery({_URL})", '"x=1&y=2&x=3"')])
def get_query(url: str) -> str | None:
    """The query of a URL without the question mark, or null."""
    return _split(url).query or None


@function("getFragment(url: String): String?", category="string", examples=[(f"getFragment({_URL})", '"top"')])
def get_fragment(url: str) -> str | None:
    """What follows the # of a URL, or null."""
    return _split(url).fragment or None


@function(
    "getQueryParams(url: String): Map<String | Array<String>>?",
    category="string",
    examples=[(f"getQueryParams({_URL}).x", '["1", "3"]'), ('getQueryParams("https://example.com")', "null")],
)
def get_query_params(url: str) -> dict[str, Any] | None:
    """The parameters of a URL, decoded; a key that is repeated has an array. Null without a query."""
    return _params(_split(url).query) or None


@function(
    "getBaseURL(url: String): String?",
    category="string",
    examples=[(f"getBaseURL({_URL})", '"https://ann@example.com:8443"'), ('getBaseURL("a/b")', "null")],
)
def get_base_url(url: str) -> str | None:
    """Protocol and authority of a URL, or null."""
    parts = _split(url)
    return f"{parts.scheme}://{parts.netloc}" if parts.scheme and parts.netloc else None


@function(
    "parseQueryString(s: String): Map<String | Array<String>>",
    category="string",
    examples=[('parseQueryString("?a=1&b=x+y&a=2&c=")', '{a: ["1", "2"], b: "x y", c: ""}')],
)
def parse_query_string(s: str) -> dict[str, Any]:
    """The parameters of a query string, decoded; a key that is repeated has an array."""
    return _params(s.removeprefix("?"))


def _pairs(params: dict[str, Any]) -> list[tuple[str, str]]:
    pairs: list[tuple[str, str]] = []
    for key, value in params.items():
        for item in value if isinstance(value, list) else [value]:
            text = "" if item is None else scalar_text(item)
            if text is None:
                fail(
                    f"the parameter {key[:40]!r} cannot be {kind_of(item)}",
                    hint="Use text, numbers, or arrays of them.",
                )
            pairs.append((key, text))
    return pairs


@function(
    "buildQueryString(params: Object): String",
    category="string",
    examples=[('buildQueryString({a: 1, b: "x y", c: [2, 3]})', '"a=1&b=x+y&c=2&c=3"')],
)
def build_query_string(params: dict[str, Any]) -> str:
    """A query string from an object; arrays repeat their key."""
    return urlencode(_pairs(params), errors="replace")


@function(
    "buildURL(parts: Object): String",
    category="string",
    examples=[
        (
            'buildURL({protocol: "https", host: "example.com", path: "a b", queryParams: {x: 1}, fragment: "t"})',
            '"https://example.com/a%20b?x=1#t"',
        ),
        (f"buildURL(parseURL({_URL}))", '"https://ann@example.com:8443/a/b?x=1&y=2&x=3#top"'),
    ],
    params={"parts": "protocol, host, port, path, query or queryParams, fragment, userInfo"},
)
def build_url(parts: dict[str, Any]) -> str:
    """A URL from the parts that parseURL names."""
    text = {name: "" if part is None else scalar_text(part) or "" for name, part in parts.items()}
    host = text.get("host", "")
    if ":" in host and not host.startswith("["):
        host = f"[{host}]"
    netloc = host + (f":{text['port']}" if text.get("port") else "")
    if text.get("userInfo"):
        netloc = f"{text['userInfo']}@{netloc}"
    path = quote(text.get("path", ""), safe="/%:@!$&'()*+,;=~-._", errors="replace")
    if netloc and path and not path.startswith("/"):
        path = "/" + path
    params = parts.get("queryParams")
    query = text.get("query") or (build_query_string(params) if isinstance(params, dict) else "")
    return urlunsplit((text.get("protocol", ""), netloc, path, query, text.get("fragment", "")))


def _with_query(url: str, change: Callable[[list[str]], list[str]]) -> str:
    """The URL with other parameters; everything else is spelled as it was, because somebody may have signed it."""
    _split(url)
    before, hash_, fragment = url.strip().partition("#")
    base, _, query = before.partition("?")
    made = "&".join(change(query.split("&") if query else []))
    return f"{base}{'?' if made else ''}{made}{hash_}{fragment}"


@function(
    "addQueryParam(url: String, key: String, value: String): String",
    category="string",
    examples=[
        ('addQueryParam("https://example.com/?a=1#t", "b", "x y")', '"https://example.com/?a=1&b=x+y#t"'),
        ('addQueryParam("https://example.com/?flag&b=x%20y", "c", 1)', '"https://example.com/?flag&b=x%20y&c=1"'),
    ],
)
def add_query_param(url: str, key: str, value: str) -> str:
    """A URL with one more parameter at the end of its query; the others stay as they are spelled."""
    return _with_query(url, lambda pieces: [*pieces, urlencode([(key, value)], errors="replace")])


@function(
    "removeQueryParam(url: String, key: String): String",
    category="string",
    examples=[('removeQueryParam("https://example.com/?a=1&b=2&a=3", "a")', '"https://example.com/?b=2"')],
)
def remove_query_param(url: str, key: str) -> str:
    """A URL without a parameter, wherever it is repeated; the others stay as they are spelled."""
    if not any(name == key for name, _ in _pairs_of(_split(url).query)):
        return url
    return _with_query(url, lambda pieces: [piece for piece in pieces if unquote_plus(piece.partition("=")[0]) != key])


@function(
    "isValidURL(url: String): Boolean",
    category="string",
    examples=[
        (f"isValidURL({_URL})", "true"),
        ('isValidURL("example.com")', "false"),
        ('isValidURL("a b://c")', "false"),
    ],
)
def is_valid_url(url: str) -> bool:
    """Whether a text is a URL with a scheme and something after it."""
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:
        return False
    return bool(parts.scheme and (parts.netloc or parts.path)) and not any(char.isspace() for char in url)
