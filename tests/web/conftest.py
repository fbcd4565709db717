"""The fixtures of the page: one server, one browser."""

from web_page import browser, filled, page

__all__ = ["browser", "filled", "page"]
