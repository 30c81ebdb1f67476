"""Every setting by its dotted name, as the schema of the settings has it.

Example::

    setting(settings, "run.timeout_s")      # 60.0
"""

from __future__ import annotations

from collections.abc import Iterator

from pydantic.fields import FieldInfo

from assistant.config.section import LOWER_ONLY, USER_ONLY, Section
from assistant.config.settings import Settings

__all__ = ["is_lower_only", "is_user_only", "leaf_fields", "leaf_names", "setting"]


def leaf_fields() -> Iterator[tuple[str, FieldInfo]]:
    """(dotted name, pydantic's description) of every setting, in the order of the schema."""
    for name, field in Settings.model_fields.items():
        section = field.annotation
        if isinstance(section, type) and issubclass(section, Section):
            yield from ((f"{name}.{inner}", item) for inner, item in section.model_fields.items())
        else:
            yield name, field


def leaf_names() -> tuple[str, ...]:
    return tuple(name for name, _ in leaf_fields())


def is_user_only(field: FieldInfo) -> bool:
    """Whether a workspace file may not set it."""
    return field.json_schema_extra is USER_ONLY


def is_lower_only(field: FieldInfo) -> bool:
    """Whether a workspace file may only lower it."""
    return field.json_schema_extra is LOWER_ONLY


def setting(settings: Settings, name: str) -> object:
    """The value of a dotted name (``run.timeout_s``)."""
    value: object = settings
    for part in name.split("."):
        value = getattr(value, part)
    return value
