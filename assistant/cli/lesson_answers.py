"""What the commands about lessons print and do: memory learn, diff, revert."""

from __future__ import annotations

import difflib
import json
import time

import typer

from assistant.cli import exit_codes
from assistant.cli.console import console
from assistant.cli.loading import loading
from assistant.config import load_settings, memory_path
from assistant.errors import UsageError
from assistant.memory import KeptLesson, Learnt, MemoryStore, open_store
from assistant.model.lesson import LessonDraft
from assistant.plan.catalogue import own_catalogue
from assistant.serialize import encode

__all__ = ["learn", "print_diff", "revert"]

_SHOWN_ROWS = 6


def learn(is_trial: bool, with_model: bool, as_json: bool) -> None:
    """Propose, and keep what predicts better on kernels that were held out; what a model proposed first, which rules have to beat."""
    store = _store()
    learned = store.learned
    drafts = _drafts_of_a_model(store) if with_model else ()
    found: list[Learnt] = []
    for draft in drafts:
        learnt = learned.consider(draft, _now_ms(), is_trial=is_trial)
        if learnt is not None:
            found.append(learnt)
        else:
            _say(
                f"{draft.technique}: {draft.model} proposed a condition that memory does not have, or that has too few trials on a side",
                True,
            )
    found += learned.learn(_now_ms(), is_trial=is_trial, assumed=[each.lesson for each in found if each.is_kept])
    if as_json:
        typer.echo(json.dumps([encode(each) for each in found], indent=2))
        return
    for each in found:
        _say_learnt(each, is_trial)
        _say_edit(learned.edit_to_go_by(each.lesson))
    if not found:
        _say("nothing new to learn: a lesson needs trials on six kernels or more that part by something, two of them held out")


def _drafts_of_a_model(store: MemoryStore) -> tuple[LessonDraft, ...]:
    with loading():
        from assistant.cli.jobs import run_async
        from assistant.cli.lesson_models import drafts

    found: list[LessonDraft] = []

    async def ask() -> int:
        found.extend(await drafts(store))
        return exit_codes.DONE

    code = run_async(ask, "interrupted; nothing was learned of it")
    if code != exit_codes.DONE:
        raise typer.Exit(code)
    return tuple(found)


def print_diff(name: str | None, as_json: bool) -> None:
    """Each lesson that counts, as the lines that it adds to its technique's text."""
    learned = _store().learned
    every = [each for each in learned.lessons() if not each.is_reverted]
    newest = {(each.lesson.technique, each.lesson.condition.is_of_edits): each for each in reversed(every)}.values()
    found = [each for each in (newest if name is None else every) if name in (None, each.id, each.lesson.technique)]
    if as_json:
        typer.echo(json.dumps([encode(each) for each in found], indent=2))
        return
    for each in found:
        _say_kept(each)
        _say_edit(learned.edit_to_go_by(each.lesson))
    if not found:
        _say("nothing was learned beyond the techniques' own texts; kernelopt memory learn looks for it")


def revert(name: str, is_undone: bool) -> None:
    """A lesson, or a sequence."""
    learned = _store().learned
    if is_undone:
        if not learned.take_back_composite(name):
            raise UsageError(f"{name} was not reverted", "kernelopt memory show lists the sequences")
        _say(f"{name} is offered again")
    elif (lesson := learned.revert_lesson(name)) is not None:
        _say(f"{lesson.id} on {lesson.lesson.technique} is reverted; what counted before it counts again")
    elif learned.drop_composite(name, _now_ms()):
        _say(f"{name} is not offered as one step any more; kernelopt memory revert {name} --undo offers it again")
    else:
        raise UsageError(f"no lesson and no sequence is called {name}", "kernelopt memory diff and kernelopt memory show list them")


def _say_learnt(each: Learnt, is_trial: bool) -> None:
    score = each.lesson.score
    what = "would be kept" if each.is_kept and is_trial else "kept" if each.is_kept else "not kept"
    error = f"error on {score.kernel_count} kernels held out {score.error_before:.3f} -> {score.error:.3f}"
    by = f" (proposed by {each.lesson.model})" if each.lesson.model else ""
    _say(f"{each.lesson.technique}{by}: {what}, {error} (mean squared, of log(time before / time after))")
    _say_diff(each.lesson.technique, "" if each.before is None else each.before.text, each.lesson.text)


def _say_kept(each: KeptLesson) -> None:
    lesson = each.lesson
    _say(f"{each.id} on {lesson.technique}: from {_rows(lesson.rows)}; held against {_rows(lesson.held_out)}")
    _say_diff(lesson.technique, "", lesson.text)


def _say_diff(technique: str, before: str, after: str) -> None:
    known = own_catalogue().get(technique)
    own = "" if known is None else f"{known.text.rstrip()}\n\n"
    old, new = (f"{own}{text}".splitlines() for text in (before, after))
    for line in difflib.unified_diff(old, new, f"{technique}.md", f"{technique}.md", n=1, lineterm=""):
        _say(line)


def _say_edit(diff: str) -> None:
    for line in diff.splitlines():
        _say(f"    {line}")


def _rows(ids: tuple[str, ...]) -> str:
    left = len(ids) - _SHOWN_ROWS
    return f"{', '.join(ids[:_SHOWN_ROWS])}{f' and {left} more' if left > 0 else ''}"


def _say(text: str, is_error: bool = False) -> None:
    console(is_error=is_error).print(text, markup=False, highlight=False, soft_wrap=True)


def _store() -> MemoryStore:
    return open_store(memory_path(load_settings(None).settings))


def _now_ms() -> int:
    return time.time_ns() // 1_000_000
