"""A cell's edits that the notebook's kernel asks for through memory: made where the judged text is, even if other editors have it open."""

from __future__ import annotations

import time
from hashlib import sha256

from assistant.memory.store import open_store
from assistant.model.placement import Placement, PlacementState
from tests.changes import change
from tests.contracts.stored import Given
from tests.e2e.cli.harness import Cli
from tests.e2e.lsp.conftest import Start
from tests.e2e.lsp.notebook import Notebook
from tests.e2e.lsp.test_notebooks import QUIET, with_notebooks

BEFORE, AFTER, OTHER = (f"__global__ void halve(float *x) {{ *x /= {value}; }}\n" for value in ("2.0", "2.0f", "4.0"))


async def test_of_two_windows_the_one_with_the_judged_text_makes_the_edit(cli: Cli, open_editor: Start) -> None:
    path = cli.folder / "lab.ipynb"
    other, judged = [await open_editor(capabilities=with_notebooks(), settings=QUIET) for _ in range(2)]
    typed = Notebook(other, path, [f"%%cu\n{OTHER}"]).cells[0]
    cell = Notebook(judged, path, [f"%%cu\n{BEFORE}"]).cells[0]
    await other.quiet()
    await judged.quiet()
    with open_store(cli.home / "memory.sqlite3") as store:
        made = Given.proposal("P01", path=cli.folder / "lab.ipynb.halve.cu", files=change(cli.folder / "lab.ipynb.halve.cu", BEFORE, AFTER))
        store.add_proposal(cli.folder, made)

        async def check(number: int, hunk_ids: tuple[str, ...], current: str, expected: PlacementState, text: str) -> None:
            """Asks for an edit from the text ``current`` and waits for its outcome; ``text`` is then the judged cell's."""
            asked_ms = time.time_ns() // 1_000_000
            store.ask_placement(Placement(str(number), "P01", hunk_ids, sha256(current.encode()).hexdigest(), "jupyter 7", asked_ms))
            await judged.until(lambda: store.placement_state(str(number)) not in (PlacementState.ASKED, PlacementState.TAKEN))
            assert store.placement_state(str(number)) is expected
            assert (cell.text, typed.text) == (f"%%cu\n{text}", f"%%cu\n{OTHER}")

        (hunk,) = made.hunks
        for number in range(0, 4, 2):
            await check(number, (hunk.id,), BEFORE, PlacementState.DONE, AFTER)
            await check(number + 1, (), AFTER, PlacementState.DONE, BEFORE)
        await check(4, (), AFTER, PlacementState.REFUSED, BEFORE)
