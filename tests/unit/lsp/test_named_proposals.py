"""Which proposal a short id means in an editor: that of the workspace which its open files are in."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from lsprotocol import types

from assistant.errors import UsageError
from lsp.proposals import Proposals
from lsp.units import Unit, Units
from tests.contracts.fake_store import FakeStore
from tests.contracts.stored import Given

NOTHING = cast("Any", None)


def opened(units: Units, *files: Path) -> Proposals:
    """The proposals of a client that has these files open; a first one is made in the folder of each."""
    store = FakeStore()
    for number, file in enumerate(files):
        store.add_proposal(file.parent, Given.proposal(f"P0{number}", path=file))
        uri = file.as_uri()
        units.replace(uri, (Unit(uri, uri, file, "", "", types.PositionEncodingKind.Utf16),))
    return Proposals(NOTHING, units, cast("Any", SimpleNamespace(store=store)), NOTHING)


def test_a_number_names_the_proposal_of_the_workspace_that_is_open(tmp_path: Path) -> None:
    units = Units()
    proposals = opened(units, tmp_path / "a" / "a.cu", tmp_path / "b" / "b.cu")
    with pytest.raises(UsageError, match="2 folders have a proposal P1"):
        proposals.find("P1")
    units.replace((tmp_path / "a" / "a.cu").as_uri(), ())
    assert proposals.find("p1").id == "P01"
