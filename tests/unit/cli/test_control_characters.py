"""What a program prints, or a file is called, is shown on a terminal; nothing of it is obeyed there."""

from __future__ import annotations

import pytest
from rich.table import Table

from assistant.cli.console import console, print_table, visible
from assistant.cli.layout import Page, print_diff

PRINTED = "red \x1b[31m title \x1b]0;x\x07 cleared \x1b[2J back\rline\x9b1m\r\nnext\tcolumn"
SHOWN = "red \\x1b[31m title \\x1b]0;x\\x07 cleared \\x1b[2J back\\x0dline\\x9b1m\nnext\tcolumn"


def test_control_characters_are_visible_and_lines_and_columns_stay() -> None:
    assert visible(PRINTED) == SHOWN


@pytest.mark.parametrize("is_error", [False, True])
def test_whatever_a_console_prints(is_error: bool, capsys: pytest.CaptureFixture[str]) -> None:
    screen = console(is_error)
    screen.print(PRINTED, markup=False)
    Page(screen).put("printed: \x1b]0;title\x07")
    table = Table("file")
    table.add_row("\x1b[2J.cu")
    print_table(screen, table)
    captured = capsys.readouterr()
    said = captured.err if is_error else captured.out
    assert "\x1b" not in said and "\x07" not in said and "\r" not in said
    assert SHOWN.splitlines()[0] in said and "printed: \\x1b]0;title\\x07" in said and "\\x1b[2J.cu" in said


def test_a_diff_that_is_piped_stays_a_patch(capsys: pytest.CaptureFixture[str]) -> None:
    print_diff(console(), "-a\x1b[1m\r\n+b\n")
    assert capsys.readouterr().out == "-a\x1b[1m\r\n+b\n", "to the letter"
