"""Approvals on the page: a call of any client waits for the human, and goes on or is refused."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest
from playwright.sync_api import Browser, expect
from web_page import Running, context_for

pytestmark = pytest.mark.browser


def _delete(page: Running, name: str) -> subprocess.Popen[str]:
    """An agent that cannot ask its user: the command line's client, in a process of its own."""
    program = (
        "import asyncio, os, sys\n"
        "from mcp.client.stdio import StdioServerParameters, stdio_client\n"
        "from mcp.client.session import ClientSession\n"
        "async def main():\n"
        "    arguments = ['-m', 'rolltop', 'serve']\n"
        "    server = StdioServerParameters(command=sys.executable, args=arguments, env=dict(os.environ))\n"
        "    async with stdio_client(server) as streams, ClientSession(*streams) as session:\n"
        "        await session.initialize()\n"
        f"        answer = await session.call_tool('delete_by_name', {{'name': {name!r}}})\n"
        "        print('refused' if answer.is_error else 'deleted', flush=True)\n"
        "asyncio.run(main())\n"
    )
    return subprocess.Popen(
        [sys.executable, "-c", program],
        env=page.environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.parametrize(("button", "ends"), [("Allow once", "deleted"), ("Deny", "refused")])
def test_the_human_decides_on_the_page(filled: Running, browser: Browser, button: str, ends: str) -> None:
    name = f"doomed-{ends}.md"
    filled.post("/tools/store_text", {"name": name, "content": "Away with it.\n"})
    context = context_for(browser, filled)
    shown = context.new_page()
    shown.goto(filled.url + "/approvals")
    expect(shown.get_by_text("Nothing waits for you.")).to_be_visible()
    with _delete(filled, name) as agent:
        section = shown.get_by_role("region", name="delete_by_name")
        expect(section).to_contain_text(name, timeout=120_000)
        section.get_by_role("button", name=re.compile(f"^{button}")).click()
        said, trouble = agent.communicate(timeout=120)
    assert said.strip() == ends, trouble
    assert (filled.get(f"/store?name={name}").status_code == 404) == (ends == "deleted")
    context.close()
