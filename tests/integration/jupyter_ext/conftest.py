"""The workshop of the notebook's unit tests."""

from tests.unit.jupyter_ext.conftest import workshop

__all__ = ["workshop"]
