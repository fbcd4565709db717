"""Every page as a person sees it: in a real browser, at two widths, by keyboard, and without JavaScript."""

from __future__ import annotations

from importlib.resources import files

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, expect
from web_page import Running, context_for

pytestmark = pytest.mark.browser

AXE = files("axe_playwright_python").joinpath("axe.min.js").read_text("utf-8")


def _paths(page: Running) -> list[str]:
    documents = page.get("/store.json").json()["results"]
    call = page.get("/calls.json?page_too=on").json()["calls"][0]["id"]
    fixed = ["/", "/calls", f"/calls/{call}", "/approvals", "/store", "/store?q=orchard", "/transform", "/reports"]
    fixed += ["/made", *(f"/made/{each['outputs'][0]['hash']}" for each in page.get("/made.json").json()["made"])]
    more = ["/reports/cars", "/tools", "/tools/store_text", "/tools/delete_by_name", "/guide", "/settings"]
    return [*fixed, *more, *(f"/store/{each['hash']}" for each in documents)]


def _watched(page: Page, url: str) -> list[str]:
    """Console errors, failures and answers of other hosts, as they happen.

    A report may ask for a script of another host (MathJax). Its frame's policy stops that, and the console says so.
    """
    found: list[str] = []

    def console(message: ConsoleMessage) -> None:
        if message.type == "error" and "/output/" not in message.location["url"]:
            found.append(message.text)

    page.on("console", console)
    page.on("pageerror", lambda error: found.append(str(error)))
    page.on("response", lambda answer: None if answer.url.startswith((url, "data:")) else found.append(answer.url))
    return found


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (360, "dark")])
def test_pages_are_sound_for_everybody(filled: Running, browser: Browser, width: int, scheme: str) -> None:
    options = {"viewport": {"width": width, "height": 900}, "color_scheme": scheme}
    context = context_for(browser, filled, **options)
    shown = context.new_page()
    for path in _paths(filled):
        troubles = _watched(shown, filled.url)
        shown.goto(filled.url + path)
        shown.evaluate(AXE)
        found = shown.evaluate("axe.run(document, {iframes: false}).then(done => done.violations)")
        assert [(each["id"], [node["html"] for node in each["nodes"]][:3]) for each in found] == [], path
        assert not shown.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth"), path
        assert not shown.evaluate("window.hit"), path
        assert troubles == [], path
    context.close()


def test_pages_can_be_read_without_javascript(filled: Running, browser: Browser) -> None:
    context = context_for(browser, filled, java_script_enabled=False)
    shown = context.new_page()
    for path in _paths(filled):
        shown.goto(filled.url + path)
        expect(shown.get_by_role("heading", level=1).first).to_be_visible()
    shown.goto(filled.url + "/transform")
    shown.get_by_label("Program").fill("%utlx 1.0\ninput json\noutput json\n---\ncount($input) + 40\n")
    shown.get_by_role("button", name="Run", exact=True).click()
    expect(shown.locator("#result pre").first).to_have_text("42")
    context.close()


def test_the_menu_works_by_keyboard(filled: Running, browser: Browser) -> None:
    context = context_for(browser, filled)
    shown = context.new_page()
    shown.goto(filled.url + "/")
    shown.keyboard.press("Tab")
    expect(shown.get_by_role("link", name="Skip to content")).to_be_focused()
    for name in ("rolltop", "Overview", "Calls"):
        shown.keyboard.press("Tab")
        expect(shown.get_by_role("link", name=name, exact=True)).to_be_focused()
    shown.keyboard.press("Enter")
    expect(shown).to_have_url(filled.url + "/calls")
    context.close()


def test_a_program_is_checked_while_it_is_typed(filled: Running, browser: Browser) -> None:
    context = context_for(browser, filled)
    shown = context.new_page()
    shown.goto(filled.url + "/transform")
    shown.get_by_role("textbox", name="Program").click()
    shown.keyboard.press("Control+End")
    shown.keyboard.type("+ nothing(1)")
    expect(shown.locator("#result")).to_contain_text("unknown function", timeout=60_000)
    context.close()


def test_a_call_made_elsewhere_appears_by_itself(filled: Running, browser: Browser) -> None:
    context = context_for(browser, filled)
    shown = context.new_page()
    shown.goto(filled.url + "/calls")
    filled.rolltop("call", "get_stats", "{}")
    expect(shown.locator("tr.fresh a").first).to_have_text("get_stats", timeout=60_000)
    context.close()
