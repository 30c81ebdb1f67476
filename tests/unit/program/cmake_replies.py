"""Build folders as CMake leaves them: a recorded one, and small ones by hand.

Example::

    build = Build(project)
    build.target("app", "main.cu", links=("libk.a",))
    build.target("k", "k.cu", kind="STATIC_LIBRARY", artifact="libk.a")
    build.write()
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.unit.program.conftest import PROJECTS, Project

RECORDED = PROJECTS.parent / "cmake_replies" / "multi_config.json"
"""Of ``cmake_targets`` by CMake 4.4.4 with ``-G "Ninja Multi-Config"`` and nvcc 13.0; what only describes places in scripts is left out."""
CONFIGURED_S = 1_700_000_000


def unpack_recorded(source: Path, build: Path) -> None:
    """Puts the recorded files into a build folder, as if CMake had made them there."""
    text = RECORDED.read_text("utf-8").replace("@SOURCE@", str(source)).replace("@BUILD@", str(build))
    for name, content in json.loads(text).items():
        path = build / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content if isinstance(content, str) else json.dumps(content))


class Build:
    """The reply of a build with one configuration."""

    def __init__(self, project: Project, folder: str = "build") -> None:
        self._root = project.root
        self._folder = project.root / folder
        self._targets: list[dict[str, Any]] = []

    def target(
        self,
        name: str,
        *sources: str,
        kind: str = "EXECUTABLE",
        flags: str = "",
        artifact: str = "",
        links: Sequence[str] = (),
        generated: Sequence[str] = (),
        place: str = ".",
    ) -> Build:
        """``links``: words of its link line; ``generated``: sources that the build makes; ``place``: its build folder."""
        languages = sorted({_language(source) for source in sources if not source.endswith(".o")})
        group = {"compileCommandFragments": [{"fragment": flags}]}
        self._targets.append(
            {
                "id": f"{name}::@1",
                "name": name,
                "type": kind,
                "paths": {"source": ".", "build": place},
                "artifacts": [{"path": artifact or name}],
                "compileGroups": [{**group, "language": language} for language in languages],
                "sources": [{"path": source, **_group_of(source, languages), "isGenerated": source in generated} for source in sources],
                "link": {"commandFragments": [{"fragment": word} for word in links]},
            }
        )
        return self

    def write(self, configured_s: int = CONFIGURED_S, source: str | None = None) -> Path:
        """The folder with its reply."""
        reply = self._folder / ".cmake" / "api" / "v1" / "reply"
        reply.mkdir(parents=True, exist_ok=True)
        references = [{"id": target["id"], "name": target["name"], "jsonFile": f"target-{target['name']}.json"} for target in self._targets]
        for target in self._targets:
            (reply / f"target-{target['name']}.json").write_text(json.dumps(target))
        paths = {"source": source or str(self._root), "build": str(self._folder)}
        configuration = {"name": "", "targets": references, "directories": [{"source": "."}]}
        (reply / "codemodel-v2-1.json").write_text(json.dumps({"paths": paths, "configurations": [configuration]}))
        index = reply / "index-1.json"
        model = {"kind": "codemodel", "jsonFile": "codemodel-v2-1.json", "version": {"major": 2, "minor": 4}}
        index.write_text(json.dumps({"objects": [model]}))
        os.utime(index, (configured_s, configured_s))
        return self._folder


def _group_of(source: str, languages: list[str]) -> dict[str, int]:
    return {} if source.endswith(".o") else {"compileGroupIndex": languages.index(_language(source))}


def _language(source: str) -> str:
    return {".cu": "CUDA", ".c": "C"}.get(Path(source).suffix, "CXX")
