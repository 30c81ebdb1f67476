"""Two trainings by TRL: answers of the right form first (SFT on answers drawn at random), then right answers (GRPO on the judge's reward).

A folder holds one run: ``speaking`` (after SFT), ``checkpoint-N`` (during GRPO), ``trained``, ``result.json``. What was broken off goes on
from the last checkpoint. Example::

    train(Plan(Path("runs/seed-1"), seed=1), Rewards(KEPT))     # Run(seed=1, is_control=False, rewards=(-0.2, …), …)
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random
from typing import Any

import torch
from datasets import Dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import GRPOConfig, GRPOTrainer, SFTConfig, SFTTrainer

from kernelopt_trl.checkpoints import last_whole
from kernelopt_trl.language import possible_edits
from kernelopt_trl.model import made_model, made_tokenizer
from kernelopt_trl.rewards import Rewards, shuffled
from kernelopt_trl.statistics import Run
from kernelopt_trl.toy import HELD_OUT, TASKS, TRAINING, ToyTask

__all__ = ["Plan", "likeliest_answers", "train"]

_SPEAKING, _TRAINED = "speaking", "trained"
_ANSWER_WORDS = 4
"""A technique, a number, ``stop`` and the end."""
_ANSWERS_TO_ONE = 8
"""Answers to one kernel that GRPO compares with each other."""
_KERNELS_IN_STEP = 7
"""Half of those that are trained on."""
_CLOSENESS = 0.2
"""To the model that speaks, as the weight of the KL divergence. With 0 the model soon gave most kernels an answer that changes nothing,
as most edits are wrong before it has read the numbers in them."""


@dataclass(frozen=True)
class Plan:
    """One run."""

    folder: Path
    seed: int
    is_control: bool = False
    """Rewards are shuffled among the answers of a step."""
    start: Path | None = None
    """A model that speaks, of another run; None: it is taught here."""
    device: str = "cpu"
    steps: int = 100
    speaking_steps: int = 80
    save_steps: int = 25


def train(plan: Plan, rewards: Rewards) -> Run:
    """Goes on where the folder's run was broken off; a finished one is only read."""
    result = plan.folder / "result.json"
    if not result.exists():
        start = plan.start or plan.folder / _SPEAKING
        if not start.exists():
            _teach_to_speak(plan, start)
        trainer = _trainer(plan, start, rewards)
        trainer.train(resume_from_checkpoint=last_whole(plan.folder))
        trainer.save_model(str(plan.folder / _TRAINED))
        if trainer.is_world_process_zero():
            result.write_text(json.dumps(asdict(_run(plan, start, trainer.state.log_history, rewards)), indent=1), "utf-8")
        trainer.accelerator.wait_for_everyone()
    read = json.loads(result.read_text("utf-8"))
    return Run(**read | {"rewards": tuple(read["rewards"])})


def likeliest_answers(folder: Path, tasks: Sequence[ToyTask], device: str = "cpu") -> list[str]:
    """What the model kept there answers, the likeliest word at each place."""
    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).to(device)
    asked = tokenizer([task.kernel for task in tasks], return_tensors="pt", padding=True).to(device)
    with torch.no_grad():
        said = model.generate(
            input_ids=asked["input_ids"], attention_mask=asked["attention_mask"], max_new_tokens=_ANSWER_WORDS, do_sample=False
        )
    return tokenizer.batch_decode(said[:, asked["input_ids"].shape[1] :], skip_special_tokens=True)


def _teach_to_speak(plan: Plan, folder: Path) -> None:
    """The model learns which edits there are of a kernel, each as often as any other: nothing of which of them are right."""
    random = Random(f"speaking {plan.seed}")  # noqa: S311 - a draw that can be repeated
    rows = [{"prompt": task.kernel, "completion": random.choice(possible_edits(task.kernel))} for task in TRAINING for _ in range(32)]
    tokenizer, unfinished = made_tokenizer(), folder.with_suffix(".part")
    options = SFTConfig(
        str(unfinished),
        per_device_train_batch_size=32,
        max_steps=plan.speaking_steps,
        learning_rate=2e-3,
        save_strategy="no",
        **_common(plan),
    )
    trainer = SFTTrainer(made_model(tokenizer, plan.seed), options, train_dataset=Dataset.from_list(rows), processing_class=tokenizer)
    trainer.train()
    trainer.save_model(str(unfinished))
    if trainer.is_world_process_zero():
        unfinished.rename(folder)
    trainer.accelerator.wait_for_everyone()


def _trainer(plan: Plan, start: Path, rewards: Rewards) -> GRPOTrainer:
    options = GRPOConfig(
        str(plan.folder),
        per_device_train_batch_size=_KERNELS_IN_STEP * _ANSWERS_TO_ONE,
        num_generations=_ANSWERS_TO_ONE,
        max_completion_length=_ANSWER_WORDS,
        max_steps=plan.steps,
        learning_rate=1e-3,
        lr_scheduler_type="constant",
        beta=_CLOSENESS,
        save_steps=plan.save_steps,
        save_total_limit=2,
        logging_steps=1,
        **_common(plan),
    )

    def judged(completions: list[str], task: list[str], trainer_state: Any, **_: Any) -> list[float | None]:
        found = rewards.of([(TASKS[name], answer) for name, answer in zip(task, completions, strict=True)])
        return shuffled(found, plan.seed, trainer_state.global_step) if plan.is_control else found

    tasks = Dataset.from_list([{"prompt": task.kernel, "task": task.name} for task in TRAINING])
    model = AutoModelForCausalLM.from_pretrained(start, dtype=torch.float32)
    return GRPOTrainer(model, judged, options, tasks, processing_class=AutoTokenizer.from_pretrained(start))


def _common(plan: Plan) -> dict[str, Any]:
    """Of both trainings. A model this small computes in 32 bits, and keeps what others compute again."""
    return {
        "seed": plan.seed,
        "use_cpu": plan.device == "cpu",
        "bf16": False,
        "gradient_checkpointing": False,
        "dataloader_pin_memory": plan.device != "cpu",
        "report_to": "none",
        "disable_tqdm": True,
    }


def _run(plan: Plan, start: Path, log: Sequence[dict[str, Any]], rewards: Rewards) -> Run:
    """A shuffled reward has the mean of the judge's, so that the log says what both arms reach."""

    def held_out(folder: Path) -> float:
        answers = likeliest_answers(folder, HELD_OUT, plan.device)
        found = [reward for reward in rewards.of(zip(HELD_OUT, answers, strict=True)) if reward is not None]
        return sum(found) / len(found)

    means = tuple(entry["reward"] for entry in log if "reward" in entry)
    return Run(plan.seed, plan.is_control, means, held_out(start), held_out(plan.folder / _TRAINED))
