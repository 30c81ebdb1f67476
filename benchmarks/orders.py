"""Which order of candidates finds the best one first? Searches are made once, on a GPU; orders are then played from what they found.

    python -m benchmarks.orders --out results/orders --search --device gpu:0 --size 2 --at-once 3 --seconds 550
    python -m benchmarks.orders --out results/orders                     # what is there so far, on any machine

A search tries all that is offered in a round and goes on from the best, so that what a candidate comes to does not depend on the order.
The programs are those of benchmarks/suite and benchmarks/reductions; every candidate is judged. Counted are candidates until 95 % of the
best gain. Two questions are answered:

- the shipped policy against the orders that there are without it, on kernels of families that no training saw; *memory* then knows what
  was tried on all other programs;
- a memory that begins empty and grows over random orders of all programs (seeds 0, 1, …, also those of Thompson sampling), against the
  same searches without one.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import time
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from assistant.bench.suite_file import SUITE_NAME, read_suite
from assistant.cli.compose import open_session
from assistant.engine import Session
from assistant.memory import MemoryStore, open_store
from assistant.model.attempt import Attempt
from assistant.model.experience import Choice
from assistant.plan.policy.network import SHIPPED_FILE, read_policy
from assistant.record import Record
from assistant.training.episodes import Order, by_catalogue, by_chance, by_promise, played
from assistant.training.lab import SearchLimits, searched
from assistant.training.ordering import Remembered, by_memory, by_policy
from assistant.training.policy_run import HELD_OUT
from assistant.training.programs import TrainingProgram
from assistant.training.scoring import Arm, Comparison, arm, compared, least, mean_count
from assistant.training.table import KernelTable, Tables

_HERE = Path(__file__).parent
_SUITES = (_HERE / "suite", _HERE / "reductions")
_DRAWS = 100
"""Orders at random of each kernel."""
_GROUP = 10
"""Kernels at the beginning and at the end of an order."""
_SEEDS = range(5)
_ATTEMPTS = 100_000
"""As many as are read of a program's: all."""


def main() -> None:
    """Search, or report."""
    arguments = _arguments()
    out: Path = arguments.out.resolve()
    programs = _programs(arguments.size, arguments.only)
    if arguments.search:
        asyncio.run(_search(out, programs, arguments))
    for line in report(out, [program.name for program in programs]):
        print(line)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="benchmarks.orders", description="Which order of candidates finds the best one first.")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--search", action="store_true", help="programs that were not searched yet")
    parser.add_argument("--predicted", action="store_true", help="candidates are counted and their speed predicted, none is judged")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--size", type=int, default=2, help="of the sizes of suite.toml, from 1")
    parser.add_argument("--only", nargs="*", default=None, help="only these (suite/mvt)")
    parser.add_argument("--at-once", type=int, default=1, help="programs")
    parser.add_argument("--candidates", type=int, default=16, help="tried of each kernel at most")
    parser.add_argument("--program-s", type=float, default=180.0, help="seconds that the searches of a program may take")
    parser.add_argument("--seconds", type=float, default=1e9, help="no program is begun after them")
    return parser.parse_args()


def _programs(size: int, only: Sequence[str] | None) -> tuple[TrainingProgram, ...]:
    """Each at that size, or at its largest where it has fewer."""
    found = (
        TrainingProgram(
            f"{suite.name}/{one.name}",
            tuple(suite / file for file in one.files),
            tuple(map(str, one.sizes[min(size, len(one.sizes)) - 1])),
        )
        for suite in _SUITES
        for one in read_suite(suite / SUITE_NAME)
    )
    return tuple(program for program in found if only is None or program.name in only)


def _memory(out: Path, program: str) -> Path:
    """What was tried on that program."""
    return out / "memory" / f"{program.replace('/', '-')}.sqlite3"


async def _search(out: Path, programs: Iterable[TrainingProgram], asked: argparse.Namespace) -> None:
    tables, start_s = Tables(out / "tables"), time.monotonic()
    (out / "memory").mkdir(parents=True, exist_ok=True)
    limits = SearchLimits(candidates=asked.candidates, is_judged=not asked.predicted, run_s=120.0, program_s=asked.program_s)
    room = asyncio.Semaphore(asked.at_once)

    async def one(program: TrainingProgram) -> None:
        async with room:
            if time.monotonic() - start_s > asked.seconds:
                return
            with open_store(_memory(out, program.name)) as store:
                found = await searched(program, store, _session, limits, asked.device, None)
            tables.add(found)
            tried = sum(len(some) for kernel in found.kernels for each in kernel.rounds for some in each.candidates)
            print(f"{program.name}: {len(found.kernels)} kernels, {tried} candidates, {found.duration_s:.0f} s {found.failure}", flush=True)

    await asyncio.gather(*(one(program) for program in programs if tables.get(program.name) is None))


def _session(memory: Path) -> Session:
    return open_session("bench", memory=memory)


def report(out: Path, programs: Sequence[str]) -> list[str]:
    """Both answers, for people."""
    tables = Tables(out / "tables")
    found = [kernel for kernel in tables.kernels(programs) if kernel.has_something]
    failures = [(each.program, each.failure) for name in programs if (each := tables.get(name)) is not None and each.failure]
    lines = [f"{len(found)} kernels with something to find, of {len({kernel.program for kernel in found})} programs"]
    lines += [f"  not to its end: {program}: {why}" for program, why in failures]
    if found:
        lines += _policy_lines(out, found, programs)
    if found and any(_memory(out, name).exists() for name in programs):
        lines += _memory_lines(out, tables, programs)
    elif found:
        lines.append("what the searches wrote into their memories is not there: an order by memory is the findings' promise here")
    return lines


def _policy_lines(out: Path, found: Sequence[KernelTable], programs: Sequence[str]) -> list[str]:
    tried = [kernel for kernel in found if kernel.family in HELD_OUT]
    if not tried:
        return ["no kernel is of a family that no training saw"]
    policy = read_policy(SHIPPED_FILE)
    with ExitStack() as stack:
        of_others = {name: stack.enter_context(_store_of(out, [each for each in programs if each != name])) for name in programs}
        remembered = {name: Remembered(store, _now_ms()) for name, store in of_others.items()}
        seeds = [Choice("thompson", seed) for seed in _SEEDS]
        arms = [
            _arm("policy", tried, lambda _: [by_policy(policy)]),
            _arm("findings' promise", tried, lambda _: [by_promise]),
            _arm("catalogue order", tried, lambda _: [by_catalogue]),
            _arm("memory alone", tried, lambda kernel: [by_memory(kernel, remembered[kernel.program], choice) for choice in seeds]),
            _arm("at random", tried, lambda _: [by_chance(seed) for seed in range(_DRAWS)]),
            _arm("best order", tried, lambda _: [least]),
        ]
    lines: list[str] = []
    for name, some in (("something to find", tried), ("a choice", [kernel for kernel in tried if kernel.has_choice])):
        if some:
            means = ", ".join(f"{one.name} {mean_count(one, some):.2f}" for one in arms)
            lines.append(f"{len(some)} kernels of held-out families with {name}, candidates until 95 % of the best gain: {means}")
            lines += [f"  {_words(compared(arms[0], other, some))}" for other in arms[1:-1]]
    return lines


def _memory_lines(out: Path, tables: Tables, programs: Sequence[str]) -> list[str]:
    """Kernels in random orders: with a memory of those before them, and without."""
    known = {name: _attempts(out, name) for name in programs}
    grown = [each for seed in _SEEDS for each in _grown(tables, programs, known, seed)]
    kernels = [kernel for kernel in tables.kernels(programs) if kernel.has_something]
    without, best = _arm("no memory", kernels, lambda _: [by_promise]), _arm("best order", kernels, lambda _: [least])
    lines: list[str] = []
    for name, group in (
        ("all", grown),
        (f"first {_GROUP} of an order", [each for each in grown if each.before < _GROUP]),
        (f"last {_GROUP} of an order", [each for each in grown if each.after < _GROUP]),
    ):
        counts: dict[str, tuple[int, ...]] = {}
        for each in group:
            counts[each.kernel] = (*counts.get(each.kernel, ()), each.count)
        some = [kernel for kernel in kernels if kernel.name in counts]
        one = Arm("a growing memory", counts)
        means = ", ".join(f"{each.name} {mean_count(each, some):.2f}" for each in (one, without, best))
        lines.append(f"{name}: {len(some)} kernels in {len(_SEEDS)} orders, candidates until 95 % of the best gain: {means}")
        lines.append(f"  {_words(compared(one, without, some))}; the best order saves {compared(best, without, some).saved:.0%}")
    return lines


class _Grown(Record):
    """A kernel in an order of all."""

    kernel: str
    before: int
    """Kernels with something to find before it in the order."""
    after: int
    count: int
    """Candidates until 95 % of its best gain, with a memory of the programs before it."""


def _grown(tables: Tables, programs: Sequence[str], known: Mapping[str, Sequence[Attempt]], seed: int) -> list[_Grown]:
    order = random.Random(seed).sample(list(programs), len(programs))
    in_turn = [kernel for kernel in tables.kernels(order) if kernel.has_something]
    found: list[_Grown] = []
    with _empty_store() as store:
        for program in order:
            remembered = Remembered(store, _now_ms())
            for kernel in in_turn[len(found) :]:
                if kernel.program != program:
                    break
                searched_so = played(kernel, by_memory(kernel, remembered, Choice("thompson", seed)))
                place = len(found)
                found.append(_Grown(kernel.name, place, len(in_turn) - 1 - place, searched_so.candidates_to(kernel.best)))
            for attempt in known[program]:
                store.add_attempt(attempt)
    return found


def _arm(name: str, kernels: Sequence[KernelTable], orders: Callable[[KernelTable], Sequence[Order]]) -> Arm:
    """``orders``: those of a kernel, one for each draw."""
    return arm(name, kernels, [orders(kernel) for kernel in kernels])


@contextmanager
def _empty_store() -> Generator[MemoryStore]:
    with TemporaryDirectory() as folder, open_store(Path(folder) / "memory.sqlite3") as store:
        yield store


@contextmanager
def _store_of(out: Path, programs: Sequence[str]) -> Generator[MemoryStore]:
    """What was tried on these programs."""
    with _empty_store() as store:
        for attempt in (attempt for program in programs for attempt in _attempts(out, program)):
            store.add_attempt(attempt)
        yield store


def _attempts(out: Path, program: str) -> tuple[Attempt, ...]:
    """Oldest first; none where the program was not searched."""
    path = _memory(out, program)
    if not path.exists():
        return ()
    with open_store(path) as store:
        return tuple(reversed(store.attempts(limit=_ATTEMPTS)))


def _now_ms() -> int:
    return time.time_ns() // 1_000_000


def _words(one: Comparison) -> str:
    saved = f"{one.saved:.0%} [{one.low:.0%}, {one.high:.0%}]"
    return f"{one.of} saves {saved} against {one.against}: fewer on {one.fewer}, more on {one.more}"


if __name__ == "__main__":
    main()
