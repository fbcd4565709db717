"""The page shows what documents were, compares versions, goes back and takes deletions back."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, expect
from web_page import Running, context_for

pytestmark = pytest.mark.browser


def _hash_of(page: Running, name: str) -> str:
    return page.get(f"/store?name={name}").headers["location"].rpartition("/")[2]


def _stored(page: Running, name: str, *texts: str) -> str:
    for text in texts:
        assert page.post("/store", {"name": name, "content": text}).status_code == 303
    return f"/store/{_hash_of(page, name)}"


def test_versions_are_compared_and_restored(page: Running, browser: Browser) -> None:
    path = _stored(page, "pages/plan.md", "Plant an oak.\n", "Plant a beech.\n")
    context = context_for(browser, page)
    shown = context.new_page()
    shown.goto(page.url + path)
    shown.get_by_role("button", name="Compare").click()
    expect(shown.locator("#difference")).to_contain_text("-Plant an oak.")
    expect(shown.locator("#difference")).to_contain_text("+Plant a beech.")
    shown.get_by_role("button", name="Restore version 1").click()
    expect(shown.locator("#content + article, #content ~ pre").first).to_contain_text("Plant an oak.")
    versions = page.get(f"/store/{_hash_of(page, 'pages/plan.md')}.json").json()["versions"]
    assert [each["version"] for each in versions] == [3, 2, 1]
    context.close()


def test_a_deletion_is_taken_back(page: Running) -> None:
    path = _stored(page, "pages/short.md", "Gone soon.\n")
    asked = page.post(f"{path}/delete", {"name": "pages/short.md"}).text
    agreed = re.search(r'name="agreed" value="([^"]+)"', asked)[1]  # type: ignore[index]
    assert page.post(f"{path}/delete", {"name": "pages/short.md", "agreed": agreed}).status_code == 303
    assert "pages/short.md" in [each["path"] for each in page.get("/store.json").json()["deleted"]]
    assert page.post("/store/undo", {"name": "pages/short.md"}).status_code == 303
    assert page.get(path).status_code == 200
