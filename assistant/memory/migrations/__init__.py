"""The schema as an append-only list of named migrations; ``pragma user_version`` counts those a file has seen.

A change of the schema is a new file at the end of `NAMES`, with a test that starts from a file of the version before.
"""

from __future__ import annotations

from importlib.resources import files

__all__ = ["NAMES", "script"]

NAMES = (
    "0001_initial",
    "0002_experience",
    "0003_recordings",
    "0004_analyses",
    "0005_pair",
    "0006_model_calls",
    "0007_sent_calls",
    "0008_placements",
    "0009_edits_of_several_files",
    "0010_attempts_of_several_files",
    "0011_alternatives",
    "0012_learned",
    "0013_lessons",
    "0014_short_ids",
    "0015_asked_searches",
)


def script(name: str) -> str:
    """SQL text of a migration."""
    return files(__name__).joinpath(f"{name}.sql").read_text("utf-8")
