"""A whole search asks an endpoint that misbehaves in every way: each call ends with its own outcome, and what is right is still found."""

from __future__ import annotations

from tests.e2e.cli.harness import Cli
from tests.e2e.cli.kernels_of_a_model import TILED_TRANSPOSE
from tests.e2e.cli.scripted_model import ScriptedModel, asked_by, code, plan, step
from tests.endpoint.server import Breaks, Refuses, Reply, Says, Sends, Stalls

GOOD = code(TILED_TRANSPOSE)
CALLS: tuple[tuple[Reply, str], ...] = (  # as many as a plan may have steps
    (Breaks("half an ans"), "unreachable"),
    (Sends(b"data: " + b"[" * 200_000 + b"\n\n"), "bad_reply"),
    (Says("I will not", finish="content_filter"), "blocked"),
    (Refuses(400, "context_length_exceeded"), "too_large"),
    (Stalls(), "timed_out"),
    (Says(GOOD, piece_length=7), "answered"),
)


def test_a_good_answer_after_every_kind_of_bad_one_is_found(cli: Cli) -> None:
    steps = [step(f"idea-{number}", 11, "KO101") for number in range(len(CALLS))]
    model = ScriptedModel([Refuses(429, retry_after_s=0.01), plan(*steps), plan()], [reply for reply, _ in CALLS])
    with asked_by(cli, model, provider={"timeout_s": 4}, search={"variants": 1, "beam": 1}):
        ended = cli.run("optimize", cli.quick(), "--planner", "llm", "--json")
    assert ended.code == 0, ended.said
    coded = [call["outcome"] for call in ended.all("model_call") if call["role"] == "coder"]
    assert coded == [outcome for _, outcome in CALLS]
    assert ended.one("proposal")["model"] == "scripted-1"
    assert "Traceback" not in ended.err
