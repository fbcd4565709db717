"""Containers for rendering: a client for the engine's API, the image and its recipe, the hardening.

The engine (Docker, or Podman's compatible socket) is spoken to over HTTP on its own socket. Nothing
of the workspace is mounted into a container: the request goes in through standard input and the
answer comes out through standard output, so a container sees one document and writes nothing here.
"""

from rolltop.reports.containers.engine import ContainerEngine, EngineError, find_engine
from rolltop.reports.containers.image import Recipe, ensure_image, image_ready

__all__ = ["ContainerEngine", "EngineError", "Recipe", "ensure_image", "find_engine", "image_ready"]
