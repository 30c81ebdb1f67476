"""The page of VS Code's pictures is what its scenes say, and every picture of it is there, in both themes."""

from __future__ import annotations

import re

from benchmarks.vscode_pictures import FOLDER, PAGE, page
from benchmarks.vscode_scenes import SCENES


def test_the_page_is_what_its_scenes_say() -> None:
    assert PAGE.read_text("utf-8") == page(SCENES), "python -m benchmarks.vscode_pictures --page"


def test_every_picture_of_the_page_is_there_and_no_other() -> None:
    shown = set(re.findall(r"\(vscode-pictures/([^)]+)\)", PAGE.read_text("utf-8")))
    assert shown == {path.name for path in FOLDER.iterdir()}


def test_each_surface_says_what_the_first_version_had_in_its_place() -> None:
    for scene in SCENES:
        assert list(scene.before) == list(scene.pictures), scene.name
        assert scene.without <= set(scene.pictures)
