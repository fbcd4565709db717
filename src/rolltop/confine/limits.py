"""What a confined program may use up."""

from __future__ import annotations

from dataclasses import dataclass

from rolltop.errors import InvalidInput

__all__ = ["Limits"]

KIB = 1 << 10
MIB = 1 << 20
GIB = 1 << 30


@dataclass(frozen=True, slots=True)
class Limits:
    """Hard limits; reaching one ends the program and is named in `Finished.reason`.

    `memory` holds twice: as address space of every single process (the kernel refuses more, unless
    `address_space` says otherwise), and as resident memory of all processes together (rolltop watches, and kills).
    """

    seconds: float = 60.0
    """Wall clock, from start to end."""
    cpu_seconds: int | None = None
    """Processor time of one process; as much as `seconds` allows when None."""
    memory: int = GIB
    address_space: int | None = None
    """Addresses of one process, as much as `memory` when None; some runtimes reserve far more than they use."""
    processes: int = 64
    """Processes and threads together."""
    file_size: int = 256 * MIB
    """Largest single file."""
    disk: int = 512 * MIB
    """All that lies in the writable mounts together, watched several times a second."""
    tmp_size: int = 256 * MIB
    """Size of the program's own /tmp."""
    open_files: int = 256
    output: int = 8 * MIB
    """Largest standard output, and as much again for standard error."""

    def __post_init__(self) -> None:
        for name in ("seconds", "memory", "processes", "file_size", "disk", "tmp_size", "open_files", "output"):
            if not getattr(self, name) > 0:
                raise InvalidInput(f"the limit {name} must be above 0")
        if self.cpu_seconds is not None and self.cpu_seconds < 1:
            raise InvalidInput("the limit cpu_seconds must be at least 1")

        if self.address_space is not None and self.address_space < self.memory:
            raise InvalidInput("the limit address_space cannot be below memory")

    @property
    def addresses(self) -> int:
        """Bytes for RLIMIT_AS."""
        return self.memory if self.address_space is None else self.address_space

    @property
    def cpu(self) -> int:
        """Processor seconds for RLIMIT_CPU, which counts whole ones."""
        return self.cpu_seconds if self.cpu_seconds is not None else int(self.seconds) + 1
