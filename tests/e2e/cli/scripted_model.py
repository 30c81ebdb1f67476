"""A scripted language model behind real HTTP, and a command line that is set up to ask it.

A script says per form of answer (plan, code, explanation) what comes, in order; the last one repeats. Example::

    model = ScriptedModel(plans=[plan(step("tile", 11, "KO101"))], codes=[code(TILED)])
    with asked_by(cli, model) as endpoint:
        ended = cli.run("optimize", path, "--planner", "llm", "--json")
"""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.e2e.cli.harness import Cli, Ended
from tests.endpoint.server import ReceivedRequest, Reply, Says, Script, ScriptedEndpoint

LONG_S = 600.0
"""A search of several candidates on a loaded machine."""
ONE_VARIANT = {"variants": 1, "beam": 1}
"""Search settings: each test asks as little as it needs."""
EXPLANATION = {
    "limit": "Stores of a warp are scattered.",
    "change": "The tile goes through shared memory.",
    "reason": "Each warp writes whole sectors.",
    "assumptions": "",
    "left": "",
}


def step(technique: str, line: int, finding: str | None = None, **more: Any) -> dict[str, Any]:
    """One step of a plan; its reason is an opinion unless ``more`` cites evidence."""
    plain: dict[str, Any] = {
        "title": technique,
        "rationale": "It should help.",
        "evidence": [],
        "predictions": [],
        "predicted_speedup": None,
        "risks": [],
    }
    return {"technique": technique, "line": line, "finding": finding} | plain | more


def plan(*steps: dict[str, Any]) -> str:
    return json.dumps({"steps": list(steps), "declined": []})


def code(kernel: str, summary: str = "Rewrite the kernel.", **more: Any) -> str:
    """The kernel's whole new text behind its header."""
    plain: dict[str, Any] = {"launches": [], "includes": [], "assumptions": [], "risks": []}
    return f"{json.dumps({'summary': summary} | plain | more)}\n\n```cuda part=kernel\n{kernel}\n```\n"


@dataclass
class ScriptedModel:
    """What is answered to each form of question, in order; the last one of each repeats."""

    plans: Sequence[str | Reply] = ()
    codes: Sequence[str | Reply] = ()
    explanations: Sequence[str | Reply] = (json.dumps(EXPLANATION),)
    lessons: Sequence[str | Reply] = ()
    usage: tuple[int, int] | None = (1000, 100)
    asked: list[tuple[str, ReceivedRequest]] = field(default_factory=list[tuple[str, ReceivedRequest]])
    """(form, question), in order."""
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __call__(self, asked: ReceivedRequest) -> Reply:
        wanted = asked.body.get("response_format")  # code is no JSON
        form = "code_reply" if wanted is None else wanted["json_schema"]["name"]
        with self._lock:
            self.asked.append((form, asked))
            place = sum(known == form for known, _ in self.asked) - 1
        known_forms = {"plan_reply": self.plans, "code_reply": self.codes, "explanation_reply": self.explanations}
        answers = (known_forms | {"lesson_reply": self.lessons})[form]
        answer = answers[min(place, len(answers) - 1)]
        return Says(answer, usage=self.usage) if isinstance(answer, str) else answer

    def questions(self, form: str) -> list[str]:
        """The last message of every question of that form."""
        return [asked.body["messages"][-1]["content"] for known, asked in self.asked if known == form]


@contextlib.contextmanager
def asked_by(cli: Cli, model: Script, **settings: Any) -> Generator[ScriptedEndpoint]:
    """The command line asks this model while the block lasts; ``settings``: further ones of the user, by section.

    One call at a time: a script's answers have an order.
    """
    with ScriptedEndpoint(model) as endpoint:
        sections: dict[str, dict[str, Any]] = {"provider": {"kind": "openai", "base_url": endpoint.base_url, "model": "scripted"}}
        sections["provider"]["calls_in_flight"] = 1
        for name, values in settings.items():
            sections.setdefault(name, {}).update(values)
        lines = [
            line for name, values in sections.items() for line in (f"[{name}]", *(f"{k} = {json.dumps(v)}" for k, v in values.items()))
        ]
        cli.home.mkdir(exist_ok=True)
        (cli.home / "config.toml").write_text("\n".join(lines) + "\n", "utf-8")
        yield endpoint
    assert endpoint.problems == []


def optimize(cli: Cli, path: Path, model: ScriptedModel, *options: str) -> Ended:
    """One rewrite a step and one version at a time; the model alone plans."""
    with asked_by(cli, model, search=ONE_VARIANT):
        ended = cli.run("optimize", path, "--planner", "llm", "--json", *options, deadline_s=LONG_S)
    assert ended.code == 0, ended.said
    return ended


def outcomes(ended: Ended) -> list[str]:
    """Of every candidate, in order."""
    return [candidate["outcome"] for candidate in ended.all("candidate")]
