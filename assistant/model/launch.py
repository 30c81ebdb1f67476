"""How a kernel is started: grid, block, dynamic shared memory."""

from __future__ import annotations

from assistant.record import Record


class Dim3(Record):
    """CUDA's ``dim3``: counts along x, y and z."""

    x: int
    y: int = 1
    z: int = 1

    @property
    def axes(self) -> tuple[int, int, int]:
        return self.x, self.y, self.z

    @property
    def count(self) -> int:
        return self.x * self.y * self.z

    def __str__(self) -> str:
        return f"({self.x}, {self.y}, {self.z})"


class LaunchConfig(Record):
    """Grid, block and dynamic shared memory of one launch."""

    grid: Dim3
    block: Dim3
    shared_bytes: int = 0

    @property
    def thread_count(self) -> int:
        return self.grid.count * self.block.count
