"""Renders attacks, each followed by a victim in the same warm R, as whoever starts this script.

The request has the attacks' code and the engine, the result says for each what the victim's page shows; both are JSON.
"""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
from pathlib import Path

from rolltop.errors import RolltopError
from rolltop.reports import RenderOptions, Reports, ReportsConfig

VICTIM = "Victim: `r 6 * 7`, seen: `r length(list.files('/tmp', 'note', recursive = TRUE))`, secret-of-the-victim\n"


async def scenario(attacks: dict[str, str], engine: str) -> dict[str, dict[str, object]]:
    with tempfile.TemporaryDirectory(prefix="rolltop-walls-") as folder:
        place = Path(folder)
        config = ReportsConfig(renderer="local", slots=1)
        reports = Reports(place / "rmd", config, cache=place / "cache", engine_host="unix:///nowhere")
        try:
            return {name: await _rendered(reports, name, code, engine) for name, code in attacks.items()}
        finally:
            reports.close()


async def _rendered(reports: Reports, name: str, code: str, engine: str) -> dict[str, object]:
    attack = f"```{{r, error=TRUE, warning=FALSE}}\n{code}\n```\n"
    reports.documents.create("attack", "Attack", attack, overwrite=True)
    reports.documents.create("victim", "Victim", f"{VICTIM}\nAfter {name}\n", overwrite=True)
    pool = reports.renderers.named("local").pool  # type: ignore[attr-defined]
    await pool.ready()
    attacked = pool.pool_for().ready
    failure = ""
    try:
        hasty = RenderOptions(engine=engine, timeout=8 if name == "outlive" else 60)  # type: ignore[arg-type]
        await reports.render("attack", hasty)
    except RolltopError as error:
        failure = error.error_type
    await pool.ready()
    reused = pool.pool_for().ready == attacked
    patient = RenderOptions(engine=engine, timeout=60)  # type: ignore[arg-type]
    first = await reports.render("victim", patient)
    page = reports.outputs.read("victim.html").decode()
    again = await reports.render("victim", patient)
    return {
        "failure": failure,
        "reused": reused,
        "warm": first.confinement,
        "right": "Victim: 42, seen: 0, secret-of-the-victim" in page,
        "forged": "FORGED" in page or "FORGED" in reports.outputs.read("victim.html").decode(),
        "cached": again.cached,
    }


if __name__ == "__main__":
    given = json.load(sys.stdin)
    print(json.dumps(asyncio.run(scenario(given["attacks"], given["engine"]))))
