"""Settings of a workspace, merged from all places that may give them, each with where it came from.

Strongest first: command line, editor folder, editor user, ``kernelopt.toml``, ``pyproject.toml``, the user's own file,
default. A list replaces a list. Example::

    loaded = load_settings(workspace, {"device": "cpu"})
    loaded.settings.device, loaded.origins["device"]        # ("cpu", "command line")
"""

from __future__ import annotations

import difflib
import functools
import json
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, cast

from pydantic import ValidationError

from assistant.config.paths import CONFIG_NAME, PYPROJECT_NAME, has_tool_section, user_paths
from assistant.config.program_keys import PROGRAM_SECTION
from assistant.config.setting_names import is_lower_only, is_user_only, leaf_fields, leaf_names
from assistant.config.settings import Settings
from assistant.errors import UsageError
from assistant.record import Record

__all__ = ["EditorSettings", "LoadedSettings", "load_settings", "memory_path"]

DEFAULT_ORIGIN = "default"
_NEVER_SHOWN = frozenset({f"provider.{role}key_env" for role in ("", "planner_", "coder_", "summariser_")})
"""A wrong value there is most likely the key itself."""


class LoadedSettings(Record):
    """Settings, where each came from, and what was ignored."""

    settings: Settings
    origins: Mapping[str, str]
    """Dotted name of every setting → ``command line``, ``editor folder``, ``editor user``, the file's path, or ``default``."""
    warnings: tuple[str, ...]
    """One sentence for each ignored setting."""


class EditorSettings(Record):
    """Settings of an editor, by dotted name or nested (without the ``kernelopt.`` prefix)."""

    folder: Mapping[str, object]
    """Settings of the workspace folder."""
    user: Mapping[str, object]


class _Layer(Record):
    """Settings from one place."""

    origin: str
    values: Mapping[str, object]
    """By dotted name."""
    is_user_level: bool


def load_settings(
    workspace: Path | None, overrides: Mapping[str, object] | None = None, editor: EditorSettings | None = None
) -> LoadedSettings:
    """The settings that hold in ``workspace`` (None: outside any).

    ``overrides`` are the command line's, by dotted name or nested; a None value means "not given". Raises UsageError for unknown
    names (naming the nearest), wrong values and files that cannot be read, with the place.
    """
    given = {name: value for name, value in (overrides or {}).items() if value is not None}
    layers = (_layer("command line", given, True), *_editor_layers(editor), *_file_layers(workspace))
    user_only = {name for name, field in leaf_fields() if is_user_only(field)}
    allowed = {name: cast("object", field.default) for name, field in leaf_fields() if is_lower_only(field)}
    values: dict[str, object] = {}
    origins = dict.fromkeys(leaf_names(), DEFAULT_ORIGIN)
    warnings: list[str] = []
    for layer in reversed(layers):
        for name, value in layer.values.items():
            if name in user_only and not layer.is_user_level:
                warnings.append(f"{layer.origin}: {name} is ignored here; set it in {user_paths().config} or on the command line")
                continue
            if name in allowed and layer.is_user_level:
                allowed[name] = value
            elif name in allowed and _is_more(value, allowed[name]):
                warnings.append(f"{layer.origin}: {name} = {value} is ignored here, where nothing may go beyond your own {allowed[name]}")
                continue
            values[name] = value
            origins[name] = layer.origin
    return LoadedSettings(_validated(values, origins), origins, tuple(warnings))


def memory_path(settings: Settings) -> Path:
    """The memory file that these settings mean."""
    return user_paths().memory if settings.memory.path is None else settings.memory.path.expanduser().absolute()


def _is_more(value: object, allowed: object) -> bool:
    """Whether a value goes beyond what the user allows: a number above it, a word that is neither the user's nor ``off``.

    What is of another type is left to the check of types.
    """
    if isinstance(value, str) and isinstance(allowed, str):
        return value not in ("off", allowed)
    return isinstance(value, int | float) and isinstance(allowed, int | float) and value > allowed


def _editor_layers(editor: EditorSettings | None) -> Iterator[_Layer]:
    if editor is not None:
        yield _layer("editor folder", editor.folder, False)
        yield _layer("editor user", editor.user, True)


def _file_layers(workspace: Path | None) -> Iterator[_Layer]:
    if workspace is not None:
        config, pyproject = workspace / CONFIG_NAME, workspace / PYPROJECT_NAME
        if config.is_file():
            yield _layer(str(config), _without_programs(_read(config)), False)
        if has_tool_section(pyproject):
            yield _layer(str(pyproject), _without_programs(_read(pyproject).get("tool", {}).get("kernelopt", {})), False)
    user_file = user_paths().config
    if user_file.is_file():
        yield _layer(str(user_file), _read(user_file), True)


def _without_programs(values: Mapping[str, object]) -> Mapping[str, object]:
    """What is left to be settings: tables ``[program.NAME]`` stand in the same file and are read where programs are looked for."""
    return {key: value for key, value in values.items() if key != PROGRAM_SECTION}


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} is not valid TOML: {error}", "fix the file; doctor --config shows what was read") from error
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}", "check the file's permissions") from error


def _layer(origin: str, values: Mapping[str, object], is_user_level: bool) -> _Layer:
    return _Layer(origin, dict(_flat(values, "", origin)), is_user_level)


def _flat(values: Mapping[str, object], prefix: str, origin: str) -> Iterator[tuple[str, object]]:
    """(dotted name, value) pairs; raises UsageError for a name that is no setting."""
    known = leaf_names()
    sections = {name.partition(".")[0] for name in known if "." in name}
    for key, value in values.items():
        name = f"{prefix}{key}"
        if name in known:
            yield name, value
        elif name in sections and isinstance(value, Mapping):
            yield from _flat(cast("Mapping[str, object]", value), f"{name}.", origin)
        elif name in sections:
            raise UsageError(f"{origin}: {name} is a table, not a value", f"write a [{name}] table")
        else:
            raise UsageError(f"{origin}: unknown setting {name}", _nearest(name, (*known, *sections)))


def _nearest(name: str, known: tuple[str, ...]) -> str:
    """The most alike setting, by whole name or by its last part (``flags`` for ``build.flags``)."""
    whole = difflib.get_close_matches(name, known, n=1, cutoff=0.6)
    last = name.rpartition(".")[2]
    by_last = {item.rpartition(".")[2]: item for item in reversed(known)}
    part = difflib.get_close_matches(last, tuple(by_last), n=1, cutoff=0.7)
    best = whole[0] if whole else (by_last[part[0]] if part else None)
    return f"did you mean {best}?" if best else "leave it out: kernelopt doctor --config FILE then lists the settings"


def _validated(values: Mapping[str, object], origins: Mapping[str, str]) -> Settings:
    nested: dict[str, Any] = {}
    for name, value in values.items():
        section, _, key = name.rpartition(".")
        (nested.setdefault(section, {}) if section else nested)[key] = value
    try:
        return Settings.model_validate(nested)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        parts = [str(part) for part in first["loc"]]
        name = next((dotted for n in (2, 1) if (dotted := ".".join(parts[:n])) in origins), ".".join(parts))
        shown = name if name in _NEVER_SHOWN else f"{name} = {values.get(name)!r}"
        raise UsageError(f"{origins.get(name, DEFAULT_ORIGIN)}: {shown}: {first['msg']}", _default(name)) from error


def _default(name: str) -> str:
    """What to do about a value that does not fit."""
    value: object = functools.reduce(getattr, name.split("."), Settings()) if name in leaf_names() else None
    return "leave it out" if value is None else f"write one that does, or leave it out: the default is {json.dumps(value, default=str)}"
