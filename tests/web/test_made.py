"""Where things come from, on the page: the picture, what is out of date, and making it again."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, expect
from web_page import Running, context_for

pytestmark = pytest.mark.browser

TOTAL = {
    "transformation": "sumBy($input, row => row.kilos)",
    "inputData": "doc://made/harvest.csv",
    "inputFormat": "csv",
    "outputFormat": "json",
    "keep": '"made/total.json"',
}


def _store(page: Running, kilos: int) -> None:
    text = f"variety,kilos\nTopaz,{kilos}\nBoskoop,30\n"
    assert page.post("/tools/store_text", {"name": "made/harvest.csv", "content": text}).status_code == 200


def test_a_thing_shows_its_origin_and_is_made_again_when_its_input_changed(page: Running, browser: Browser) -> None:
    _store(page, 12)
    assert page.post("/tools/execute_transformation", TOTAL).status_code == 200
    twin = page.get("/made.json").json()
    (made,) = (each for each in twin["made"] if each["name"] == "doc://made/total.json")
    assert {part["uri"] for part in made["inputs"]} == {"doc://made/harvest.csv", ""}
    context = context_for(browser, page, viewport={"width": 1280, "height": 800})
    shown = context.new_page()
    shown.goto(f"{page.url}/store/{made['outputs'][0]['hash']}")
    shown.get_by_role("link", name="Made by execute_transformation").click()
    expect(shown.get_by_role("heading", level=1)).to_have_text("doc://made/total.json")
    picture = shown.get_by_role("group", name="Where doc://made/total.json came from, and what was made of it")
    expect(picture.get_by_role("link", name="made/harvest.csv")).to_be_visible()
    shown.get_by_role("button", name="Make it again").click()
    expect(shown.get_by_role("status")).to_contain_text("the same bytes again")

    _store(page, 13)
    shown.goto(page.url + "/made")
    expect(shown.locator("main")).to_contain_text("doc://made/harvest.csv changed")
    shown.get_by_role("button", name="Make them again").click()
    expect(shown.get_by_role("status").first).to_contain_text("made anew")
    assert page.get("/made.json").json()["stale"] == []
    total = page.get("/store.json?name=made/total.json", follow_redirects=True)
    assert "43" in total.text
    context.close()


def test_a_thing_that_is_not_there_is_not_found(page: Running) -> None:
    assert page.get("/made/0123456789abcdef").status_code == 404
    assert page.get("/made.json?name=rmd-output:///nothing.html").status_code == 404
    assert page.post("/made/0123456789abcdef", {}).status_code == 404
