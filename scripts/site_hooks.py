"""Hook of mkdocs: the site loads nothing from the network, also where its search runs from files."""

from __future__ import annotations

from typing import Any


def on_post_page(output: str, page: Any, config: Any) -> str:
    top = "../" * page.url.count("/")
    return output.replace("https://unpkg.com/iframe-worker/shim", f"{top}assets/iframe-worker.js")


def on_post_template(output_content: str, template_name: str, config: Any) -> str:
    return output_content.replace("https://unpkg.com/iframe-worker/shim", "assets/iframe-worker.js")
