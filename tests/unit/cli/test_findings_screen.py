"""What a terminal says of findings that cost next to nothing."""

from __future__ import annotations

import io

from rich.console import Console

from assistant.cli.search_screen import SearchScreen, briefly
from assistant.model.events import FindingsFound
from assistant.model.profile import Finding, Severity


def test_findings_of_one_code_share_a_line_that_names_code_lines_and_cause() -> None:
    assert briefly((("KO103", 18), ("KO111", 30), ("KO103", 16))) == (
        "KO103 lines 16 and 18: shared memory bank conflicts (less than 1%)",
        "KO111 line 30: grid too small or uneven (less than 1%)",
    )


def test_a_cheap_finding_is_named_with_its_place_and_a_costly_one_explained() -> None:
    costly = Finding("KO101", "k()", 7, Severity.WARNING, "Scattered.", (), 0.4)
    cheap = Finding("KO103", "k()", 18, Severity.INFORMATION, "Conflicts.", (), 0.004)
    out = io.StringIO()
    SearchScreen(Console(file=out), is_verbose=False).findings(FindingsFound("J1", "k()", (costly, cheap), ()))
    lines = out.getvalue().splitlines()
    assert lines[-2].startswith("  KO101 line 7: Scattered. (about 40%")
    assert lines[-1] == "  KO103 line 18: shared memory bank conflicts (less than 1%)"
