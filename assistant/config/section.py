"""What all settings have in common, and how one is marked that not every place may give.

Example::

    class RunSettings(Section):
        timeout_s: float = Field(default=60.0, json_schema_extra=LOWER_ONLY)
"""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, JsonValue

__all__ = ["LOWER_ONLY", "USER_ONLY", "Section"]

USER_ONLY: dict[str, JsonValue] = {"user_only": True}
"""Marks a setting that only the user's own file, the editor's user settings or the command line may give."""
LOWER_ONLY: dict[str, JsonValue] = {"lower_only": True}
"""Marks what costs the user money or time, or tells more to a model: a workspace may ask for less than the user's own settings say (a
smaller number, ``off``), never for more."""


class Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, hide_input_in_errors=True)
