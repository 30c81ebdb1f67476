"""How many blocks of a launch are counted: the same whether a person on a terminal leaves it open or a front end does."""

from __future__ import annotations

from pathlib import Path

from assistant.cli.options import Count, job_request
from assistant.engine import JobRequest


def test_what_nobody_asks_for_is_what_sampled_means_and_what_its_help_says() -> None:
    path = Path("/k.cu")
    (asked,) = {JobRequest(path, path.parent).sample_blocks, job_request(path, None, None, None, None, None, ()).sample_blocks}
    assert f"at most {asked} blocks a launch" in Count.__metadata__[0].help  # type: ignore[attr-defined]
    assert job_request(path, None, None, None, None, None, (), count="all").sample_blocks == 0
