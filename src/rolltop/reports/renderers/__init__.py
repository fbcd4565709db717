"""The places where R runs, behind one seam (`job.Renderer`): a local sandbox, the Docker API, docker compose."""

from rolltop.reports.renderers.compose import ComposeRenderer
from rolltop.reports.renderers.docker_api import DockerRenderer
from rolltop.reports.renderers.local import LocalRenderer

__all__ = ["ComposeRenderer", "DockerRenderer", "LocalRenderer"]
