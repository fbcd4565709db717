"""One real server with a page, one real browser, shared by all tests of the page."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import httpx2 as httpx
import pytest
from playwright.sync_api import Browser, BrowserContext, sync_playwright

ROLLTOP = [sys.executable, "-m", "rolltop"]
HOSTILE = "<script>window.hit = 1</script><img src=x onerror='window.hit = 1'>"


@dataclass(frozen=True)
class Running:
    url: str
    environment: dict[str, str]
    cookies: dict[str, str]
    token: str

    def rolltop(self, *arguments: str) -> str:
        done = subprocess.run(
            [*ROLLTOP, *arguments], env=self.environment, capture_output=True, text=True, timeout=120, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def login_link(self) -> str:
        return re.search(r"http://\S+login=\S+", self.rolltop("page"))[0]  # type: ignore[index]

    def get(self, path: str, **more: Any) -> httpx.Response:
        return httpx.get(self.url + path, cookies=self.cookies, timeout=60, **more)

    def post(self, path: str, data: dict[str, Any], **more: Any) -> httpx.Response:
        """Send a form as the page's own forms do."""
        token = re.search(r'name="form_token" value="([0-9a-f]+)"', self.get("/tools/get_stats").text)[1]  # type: ignore[index]
        headers = {"Origin": self.url, **more.pop("headers", {})}
        return httpx.post(
            self.url + path, data={"form_token": token, **data}, cookies=self.cookies, headers=headers, timeout=60
        )


@pytest.fixture(scope="session")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    root = tmp_path_factory.mktemp("page")
    kept = {
        key: value for key, value in os.environ.items() if not key.startswith(("ROLLTOP_", "MCP_", "UTLX_", "XDG_"))
    }
    project = root / "project"
    project.mkdir()
    environment = {
        **kept,
        "HOME": str(root),
        "XDG_CONFIG_HOME": str(root / "config"),
        "XDG_DATA_HOME": str(root / "data"),
        "ROLLTOP_WORKSPACE": str(root / "workspace"),
        "ROLLTOP_LOG_ARGUMENTS": "1",
    }
    process = subprocess.Popen(
        [*ROLLTOP, "serve", "--http", "--port", "0", "--show-connect"],
        env=environment,
        cwd=project,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        yield _logged_in(process, environment)
    finally:
        process.terminate()
        process.communicate(timeout=60)


def _logged_in(process: subprocess.Popen[str], environment: dict[str, str]) -> Running:
    assert process.stdout is not None
    said = []
    for line in process.stdout:
        said.append(line)
        if found := re.search(r"(http://\S+?)/\?login=(\S+)", line):
            break
    else:
        raise AssertionError("".join(said))
    answer = httpx.get(f"{found[1]}/?login={found[2]}", follow_redirects=False, timeout=60)
    token = ""
    return Running(found[1], environment, dict(answer.cookies), token)


@pytest.fixture(scope="session")
def filled(page: Running) -> Running:
    """The page of a workspace with documents, a report and hostile names in it."""
    hostile = f"notes/{HOSTILE}.md".replace("/script", "\\script")
    for name, text, tags in (
        ("notes/orchard.md", "# Orchard\n\nThe Topaz is ripe in week 38. See [list](data/people.csv).\n", ["garden"]),
        ("notes/orchard.md", "# Orchard\n\nThe Topaz is ripe in week 39. See [list](data/people.csv).\n", ["garden"]),
        ("data/people.csv", "name,born\nAda,1815\nGrace,1906\n", ["data"]),
        (hostile, f"# {HOSTILE}\n\n{HOSTILE}\n", ["<b>tag</b>"]),
    ):
        done = page.post("/tools/store_text", {"name": name, "content": text, "tags": "\n".join(tags)})
        assert done.status_code == 200, done.text
    joined = {"transformation": "$input", "inputFormat": "csv", "outputFormat": "json", "keep": '"made/people.json"'}
    for source, more in (("data/people.csv", {}), (hostile, {"inputFormat": "csv", "keep": f'"made/{HOSTILE}"'})):
        done = page.post("/tools/execute_transformation", {**joined, "inputData": f"doc://{source}", **more})
        assert done.status_code == 200, done.text
    for name, title in (("cars", "Cars"), ("evil", HOSTILE)):
        page.post("/reports", {"filename": name, "title": title, "content": "```{r}\nplot(cars)\n```\n"})
    return page


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """For one module: while Playwright runs, no other test of this process can have an event loop."""
    with sync_playwright() as playwright:
        arguments = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync"]
        launched = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=arguments)
        yield launched
        launched.close()


def context_for(browser: Browser, page: Running, **options: Any) -> BrowserContext:
    context = browser.new_context(**options)
    context.add_cookies([{"name": name, "value": value, "url": page.url} for name, value in page.cookies.items()])
    return context
