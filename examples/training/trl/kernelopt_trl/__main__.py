"""``python -m kernelopt_trl``: judge the edits ahead, train one seed, or train all seeds of both arms and compare them."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from kernelopt_trl.judge import Judge, JudgeError
from kernelopt_trl.language import edited, parsed, possible_edits
from kernelopt_trl.rewards import NotJudgedError, Pair, Rewards
from kernelopt_trl.statistics import Run, report
from kernelopt_trl.toy import TASKS, program

_KEPT = Path(__file__).with_name("judged.jsonl")


def main(words: Sequence[str] | None = None) -> int:
    asked = _parser().parse_args(words)
    options = ("--device", asked.judge_device)
    judge = Judge(asked.judge.split(), options) if asked.judge else None
    rewards = Rewards(asked.kept, judge, options, asked.jobs)
    if asked.command == "judge":
        return _judged_again(rewards, asked.again) if asked.again else _judged(rewards)
    if asked.command == "train":
        _say(_trained(asked, asked.seed, rewards, folder=asked.out, is_control=asked.shuffled))
        return 0
    learned = [_trained(asked, seed, rewards, folder=asked.out / f"trained-{seed}") for seed in asked.seeds]
    starts = [asked.out / f"trained-{seed}" / "speaking" for seed in asked.seeds]
    control = [
        _trained(asked, seed, rewards, folder=asked.out / f"shuffled-{seed}", is_control=True, start=start)
        for seed, start in zip(asked.seeds, starts, strict=True)
    ]
    found = report([*learned, *control])
    (asked.out / "report.json").write_text(json.dumps(found, indent=1), "utf-8")
    _show(found)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m kernelopt_trl", description=__doc__)
    shared = argparse.ArgumentParser(add_help=False)
    shared.add_argument(
        "--judge", metavar="COMMAND", help="kernelopt, for edits that were not judged yet; left out: only kept rewards are used"
    )
    shared.add_argument(
        "--kept", type=Path, default=_KEPT, metavar="FILE", help="rewards of edits that were judged (default: those that come along)"
    )
    shared.add_argument("--judge-device", default="cpu", help="where edits run: cpu (the emulator, whose rewards come along) or gpu:N")
    shared.add_argument("--jobs", type=int, default=1, help="edits that are judged at once")
    training = argparse.ArgumentParser(add_help=False)
    training.add_argument("--out", type=Path, required=True, metavar="DIR", help="checkpoints and results; what was begun there goes on")
    training.add_argument("--device", default="cpu", choices=("cpu", "cuda"), help="where the model is trained")
    training.add_argument("--steps", type=int, help="of GRPO")
    training.add_argument("--save-steps", type=int, help="from one checkpoint to the next")
    commands = parser.add_subparsers(dest="command", required=True)
    judged = commands.add_parser("judge", parents=[shared], help="judge every edit of every task that is not kept yet")
    judged.add_argument(
        "--again", type=int, default=0, metavar="N", help="judge N of the kept ones anew, and say where the reward is another"
    )
    train = commands.add_parser("train", parents=[shared, training], help="train one seed")
    train.add_argument("--seed", type=int, default=1)
    train.add_argument("--shuffled", action="store_true", help="the control: rewards are shuffled among the answers of a step")
    compare = commands.add_parser("compare", parents=[shared, training], help="train several seeds, and their controls, and compare")
    compare.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    return parser


def _trained(asked: argparse.Namespace, seed: int, rewards: Rewards, **plan: Any) -> Run:
    """``plan``: fields of the `Plan`."""
    from kernelopt_trl.training import Plan, train  # PyTorch and TRL, which judging does not need

    given = {name: value for name in ("steps", "save_steps") if (value := getattr(asked, name)) is not None}
    return train(Plan(seed=seed, device=asked.device, **plan, **given), rewards)


def _judged(rewards: Rewards) -> int:
    rows = rewards.rows(_all_pairs())
    open_ones = [row["task"] for row in rows.values() if row["reward"] is None]
    _say(f"{len(rows)} edits of {len(TASKS)} tasks: {len(rows) - len(open_ones)} have a reward")
    return 1 if open_ones else 0


def _judged_again(rewards: Rewards, count: int) -> int:
    """Some from everywhere; their new rewards are not kept."""
    pairs = _all_pairs()
    chosen = pairs[:: max(1, len(pairs) // count)][:count]
    kept = rewards.rows(chosen)
    others = [
        f"{row['task']}: {kept[row['key']]['reward']}, now {row['reward']} ({row['answer']})"
        for row in rewards.judged(chosen, lambda _: None)
        if row["reward"] != kept[row["key"]]["reward"]
    ]
    _say("\n".join([*others, f"{len(chosen) - len(others)} of {len(chosen)} have the reward that is kept"]))
    return 1 if others else 0


def _all_pairs() -> list[Pair]:
    """Each task as it is, and each of its edits."""
    edits = [(task, edit) for task in TASKS.values() for answer in ("stop", *possible_edits(task.kernel)) if (edit := parsed(answer))]
    return [(task, program(task, edited(task.kernel, edit))) for task, edit in edits]


def _show(found: dict[str, object]) -> None:
    for name, value in found.items():
        if isinstance(value, dict):
            _say(f"{name:28} {value['mean']:6.2f}   {value['low']:6.2f} to {value['high']:.2f}")


def _say(text: object) -> None:
    sys.stdout.write(f"{text}\n")


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (JudgeError, NotJudgedError) as error:
        sys.exit(f"error: {error}")
