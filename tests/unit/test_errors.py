"""What a notebook shows of an error: the person's own lines, the message, the remedy."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

import pytest

from assistant.engine import AllowOption
from assistant.errors import UsageError


def shown(error: UsageError) -> list[str]:
    """As IPython asks for it."""
    return cast("Callable[[], list[str]]", getattr(error, "_render_traceback_"))()  # noqa: B009 - IPython's name for it


def test_a_traceback_has_the_callers_lines_and_none_of_ours() -> None:
    with pytest.raises(UsageError) as caught:
        AllowOption.read("no_such")
    *frames, message, remedy = shown(caught.value)
    assert len(frames) == 1 and "test_errors.py" in frames[0] and frames[0].endswith('"no_such")')
    assert message == f"UsageError: {caught.value.message}" and remedy == f"→ {caught.value.remedy}"


def test_a_cell_is_called_a_cell() -> None:
    with pytest.raises(UsageError) as caught:
        exec(compile("raise UsageError('no', 'yes')", "/tmp/ipykernel_77/1234.py", "exec"), {"UsageError": UsageError})
    assert shown(caught.value)[-3].startswith("  Cell, line 1, in <module>")
