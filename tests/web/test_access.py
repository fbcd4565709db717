"""Who gets in, and what every response carries."""

from __future__ import annotations

from typing import Any

import httpx2 as httpx
import pytest
from conditions import wait_until
from web_page import HOSTILE, Running

PAGES = ("/", "/calls", "/approvals", "/store", "/transform", "/reports", "/tools", "/guide", "/settings")


@pytest.mark.parametrize("path", [*PAGES, "/index.json", "/store.json", "/events", "/nowhere", "/static/../app.py"])
def test_nothing_is_shown_without_a_login(page: Running, path: str) -> None:
    assert httpx.get(page.url + path, timeout=60).status_code in (401, 404)
    assert "rolltop page" in httpx.get(page.url + "/", timeout=60).text


def test_a_login_link_works_once(page: Running) -> None:
    link = page.login_link()
    first = httpx.get(link, follow_redirects=False, timeout=60)
    assert first.status_code == 303
    cookie = first.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert httpx.get(link, follow_redirects=False, timeout=60).status_code == 401
    forged = link[:-4] + "0000"
    assert httpx.get(forged, follow_redirects=False, timeout=60).status_code == 401


def test_a_session_of_another_server_does_not_count(page: Running) -> None:
    forged = {name: value[:-6] + "abcdef" for name, value in page.cookies.items()}
    assert httpx.get(page.url + "/", cookies=forged, timeout=60).status_code == 401


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1:1"])
def test_a_form_from_another_origin_is_refused(page: Running, origin: str) -> None:
    answer = page.post("/tools/get_stats", {}, headers={"Origin": origin})
    assert answer.status_code == 403


def test_a_form_without_its_token_is_refused(page: Running) -> None:
    for data in ({}, {"form_token": "0" * 64}):
        answer = httpx.post(
            page.url + "/tools/get_stats", data=data, cookies=page.cookies, headers={"Origin": page.url}, timeout=60
        )
        assert answer.status_code == 403


@pytest.mark.parametrize("path", PAGES)
def test_every_page_has_its_policy_and_its_json_twin(filled: Running, path: str) -> None:
    shown = filled.get(path)
    assert shown.status_code == 200
    policy = shown.headers["content-security-policy"]
    assert "default-src 'self'" in policy
    assert "unsafe" not in policy
    twin = filled.get("/index.json" if path == "/" else path + ".json")
    assert twin.headers["content-type"] == "application/json"
    assert isinstance(twin.json(), dict)


def test_no_page_holds_foreign_text_unescaped(filled: Running) -> None:
    for path in (
        *PAGES,
        "/store?q=orchard",
        "/calls?page_too=on",
        f"/store?q={HOSTILE}",
        f"/guide?expression={HOSTILE}",
    ):
        assert "<script>window.hit" not in filled.get(path).text, path


def test_a_report_is_served_in_a_sandbox_of_its_own(filled: Running) -> None:
    started = filled.post("/reports/cars", {"render": "html"})
    assert started.status_code == 303, started.text
    job = started.headers["location"].rpartition("job=")[2]
    done = wait_until(lambda: _ended(filled, f"/reports/cars/jobs/{job}.json"), 120)
    assert done["state"] == "done", done
    assert "knit" in " ".join(done["lines"])
    assert "Rendered in" in filled.get(started.headers["location"]).text
    framed = filled.get("/reports/cars/output/cars.html")
    assert framed.headers["content-security-policy"].startswith("sandbox allow-scripts; default-src 'none'")
    figures = filled.get("/reports/cars.json").json()["figures"]
    picture = filled.get(f"/reports/cars/figure/{figures[0]}")
    assert picture.headers["content-type"] == "image/png"


def test_a_render_can_be_cancelled(filled: Running) -> None:
    slow = {"filename": "slow", "title": "Slow", "content": "```{r}\nSys.sleep(600)\n```\n"}
    assert filled.post("/reports", slow).status_code == 303
    started = filled.post("/reports/slow", {"render": "html"})
    job = f"/reports/slow/jobs/{started.headers['location'].rpartition('job=')[2]}"
    wait_until(lambda: filled.get(f"{job}.json").json()["lines"], 120)
    assert "Cancel" in filled.get("/reports/slow").text
    assert filled.post(f"{job}/cancel", {}).status_code == 303
    assert filled.get(f"{job}.json").json()["state"] == "cancelled"
    calls = filled.get("/calls.json?page_too=on&tool=render_rmd").json()["calls"]
    assert calls[0]["outcome"] == "cancelled"


def _ended(page: Running, path: str) -> dict[str, Any] | None:
    job = page.get(path).json()
    return job if job["state"] != "running" else None


def test_unknown_things_are_not_found(filled: Running) -> None:
    for path in ("/calls/999999", "/calls/x", "/store/00000000", "/tools/nope", "/reports/nope", "/nope"):
        assert filled.get(path).status_code == 404, path
