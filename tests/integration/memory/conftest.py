"""The values of memory's unit tests."""

from tests.unit.memory.conftest import given, path, store

__all__ = ["given", "path", "store"]
