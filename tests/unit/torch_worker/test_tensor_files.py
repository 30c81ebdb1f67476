"""Values on their way to another process."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

torch = pytest.importorskip("torch")
from assistant.torch_worker.side.failures import SideError  # noqa: E402
from assistant.torch_worker.side.tensor_files import TensorFiles, decoded  # noqa: E402


@dataclass(frozen=True)
class Shape:
    width: int
    scale: Any = 0.5


def test_a_data_class_arrives_as_a_namespace_with_its_fields(tmp_path: Path) -> None:
    files = TensorFiles(tmp_path)
    arrived = decoded(files.encoded([Shape(8, torch.ones(2)), SimpleNamespace(eps=1e-5)]))
    assert arrived[0].width == 8 and torch.equal(arrived[0].scale, torch.ones(2)) and arrived[1] == SimpleNamespace(eps=1e-5)


def test_what_cannot_arrive_is_refused_with_what_can(tmp_path: Path) -> None:
    with pytest.raises(SideError, match="Path cannot be given to another process: tensors, numbers, texts"):
        TensorFiles(tmp_path).encoded([tmp_path])
