"""The companion extension: a chat model of VS Code that answers from a script, packed without Node.

Example::

    install(cli, data, packed(tmp_path))
    script = Script(tmp_path, {"Plan how": [plan(step("shared-tile", 11, "KO101"))]})
    script.asked()      # each request, as text
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

__all__ = ["MODEL_NAME", "Script", "packed"]

MODEL_NAME = "Scripted One"
_SOURCE = Path(__file__).parent / "companion"
_TYPES = """<?xml version="1.0" encoding="utf-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension=".json" ContentType="application/json"/>
<Default Extension=".vsixmanifest" ContentType="text/xml"/><Default Extension=".js" ContentType="application/javascript"/></Types>
"""
_MANIFEST = """<?xml version="1.0" encoding="utf-8"?>
<PackageManifest Version="2.0.0" xmlns="http://schemas.microsoft.com/developer/vsx-schema/2011"><Metadata>
<Identity Language="en-US" Id="{name}" Version="{version}" Publisher="{publisher}"/><DisplayName>{displayName}</DisplayName>
<Description xml:space="preserve">{description}</Description><Properties>
<Property Id="Microsoft.VisualStudio.Code.Engine" Value="^1.104.0"/></Properties></Metadata>
<Installation><InstallationTarget Id="Microsoft.VisualStudio.Code"/></Installation><Dependencies/>
<Assets><Asset Type="Microsoft.VisualStudio.Code.Manifest" Path="extension/package.json" Addressable="true"/></Assets></PackageManifest>
"""


def packed(folder: Path) -> Path:
    """The companion as a ``.vsix``."""
    told = json.loads((_SOURCE / "package.json").read_text("utf-8"))
    path = folder / f"{told['name']}.vsix"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as package:
        package.writestr("[Content_Types].xml", _TYPES)
        package.writestr("extension.vsixmanifest", _MANIFEST.format(**told))
        for source in _SOURCE.iterdir():
            package.write(source, f"extension/{source.name}")
    return path


class Script:
    """What the model answers, and what it was asked."""

    def __init__(self, folder: Path, answers: Mapping[str, Sequence[str]]) -> None:
        """Words of a request → its answers in turn, the last one again and again; no answers: the quota is used up."""
        self.path = folder / "script.json"
        self._asked = folder / "asked.jsonl"
        rules = [{"contains": words, "texts": list(texts), "quota": not texts} for words, texts in answers.items()]
        self.path.write_text(json.dumps({"asked": str(self._asked), "rules": rules}), "utf-8")

    def asked(self) -> list[str]:
        """Each request so far."""
        return [json.loads(line) for line in self._asked.read_text("utf-8").splitlines()] if self._asked.exists() else []
