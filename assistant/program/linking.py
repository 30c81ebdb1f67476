"""Which units a linker would put together with one that has ``main()``: those that define what the units so far use without defining.

Example::

    linked = Linker(sources, units, folders, macros).linked("/p/main.cu")
    linked.units, linked.links["/p/sums.cu"]     # ('/p/main.cu', '/p/sums.cu'), Link('launch_sums', '/p/main.cu')
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from functools import cached_property

from assistant.cuda.linkage import is_name_used
from assistant.cuda.linkage_hints import may_declare, may_define, may_instantiate
from assistant.program.nearness import folder_distance
from assistant.program.sources import IncludeOrigin, Sources
from assistant.record import Record

__all__ = ["Ambiguity", "Link", "LinkedProgram", "Linker", "is_cuda"]

_CUDA_SIGNS = ("__global__", "__device__", "<<<", "cudaLaunchKernel")
"""One of these stands in every program that brings kernels."""


class Link(Record):
    """Why a unit belongs to a program."""

    name: str
    """What it defines."""
    user: str
    """The unit that uses it."""


class Ambiguity(Record):
    """Names that several units define, none of them nearer than the others."""

    names: tuple[str, ...]
    user: str
    """The unit that uses them."""
    units: tuple[str, ...]


class LinkedProgram(Record):
    """One program."""

    units: tuple[str, ...]
    """That with ``main()`` first, the others as they are found."""
    links: Mapping[str, Link]
    """By unit, all but the first."""
    ambiguities: tuple[Ambiguity, ...]


class _View(Record):
    """A unit with all that it includes."""

    defined: frozenset[str]
    wanted: frozenset[str]
    """Names that must be defined elsewhere."""
    wanted_wholly: frozenset[str]
    """The class templates of those that are members, as `Linkage.defined` names one with all of its members."""

    def uses(self, defined: Set[str]) -> bool:
        """Whether any of the names is wanted here."""
        return not self.wanted.isdisjoint(defined) or not self.wanted_wholly.isdisjoint(defined)


class Linker:
    """Links units of a search."""

    def __init__(
        self,
        sources: Sources,
        units: tuple[str, ...],
        folders: Callable[[str], tuple[str, ...]],
        macros: Callable[[str], frozenset[str]],
    ) -> None:
        """``folders``, ``macros``: where a unit's includes are looked for, and what its command line defines."""
        self.sources = sources
        self.units = units
        self._folders = folders
        self._macros = macros
        self._views: dict[str, _View] = {}
        self._mains: dict[str, bool] = {}
        self._providers: dict[str, tuple[str, ...]] = {}
        self._declared: dict[str, frozenset[str]] = {}
        sources.read_closures(units, folders)

    def closure(self, unit: str) -> Mapping[str, IncludeOrigin]:
        """The unit and all that it reaches by includes."""
        return self.sources.closure(unit, self._folders(unit))

    @cached_property
    def _includers(self) -> Mapping[str, tuple[str, ...]]:
        """The units that reach a file, by the file; a unit reaches itself."""
        found: dict[str, list[str]] = {}
        for unit in self.units:
            for path in self.closure(unit):
                found.setdefault(path, []).append(unit)
        return {path: tuple(units) for path, units in found.items()}

    def reaching(self, path: str) -> tuple[str, ...]:
        """The units that are the file or include it, over other files too."""
        return self._includers.get(path, ())

    def has_main(self, unit: str) -> bool:
        """Whether the unit, or a file that it includes, has a ``main()`` that is compiled."""
        if unit not in self._mains:
            self._mains[unit] = any(self._is_main_in(unit, path) for path in self.closure(unit))
        return self._mains[unit]

    def _is_main_in(self, unit: str, path: str) -> bool:
        main = self.sources.main_in(path)
        if main is None:
            return False
        if not main.conditions:
            return True
        given = self._macros(unit)
        defined = given.union(*(self.sources.linkage(each).macros for each in self.closure(unit)))
        forbidden = given if path == unit else given | self.sources.linkage(unit).macros
        return all(
            (not condition.needs or condition.needs in defined or condition.needs.startswith("_")) and condition.forbids not in forbidden
            for condition in main.conditions
        )

    def stands_alone(self, unit: str) -> bool:
        """Whether the unit has ``main()`` and all that it declares and uses."""
        return self.has_main(unit) and not self._view(unit).wanted

    def linked(self, main: str, further: Iterable[str] = ()) -> LinkedProgram:
        """The program of a unit with ``main()``; ``further``: units that are linked in any case."""
        units: dict[str, Link | None] = dict.fromkeys((main, *further))
        unclear: dict[tuple[str, tuple[str, ...]], list[str]] = {}
        waiting = list(units)
        defined = {name for unit in units for name in self._view(unit).defined}
        for unit in waiting:
            for name in sorted(self._view(unit).wanted):
                nearest = () if _provided(name, defined) else self._nearest(name, unit)
                if len(nearest) == 1:
                    units[nearest[0]] = Link(name, unit)
                    waiting.append(nearest[0])
                    defined |= self._view(nearest[0]).defined
                elif nearest:
                    unclear.setdefault((unit, nearest), []).append(name)
        left = {place: tuple(name for name in names if not _provided(name, defined)) for place, names in unclear.items()}
        ambiguities = tuple(Ambiguity(names, user, several) for (user, several), names in left.items() if names)
        return LinkedProgram(tuple(units), {unit: link for unit, link in units.items() if link is not None}, ambiguities)

    def lacks(self, units: Iterable[str]) -> bool:
        """Whether the units together use what they declare and none of them defines."""
        program = tuple(units)
        defined = {name for unit in program for name in self._view(unit).defined}
        return any(not _provided(name, defined) for unit in program for name in self._view(unit).wanted)

    def mains_with(self, path: str) -> tuple[str, ...]:
        """Units with ``main()`` whose programs may hold a file: they include it, or use what units that include it define."""
        mains: dict[str, None] = {}
        seen = set(self.reaching(path))
        waiting = list(self.reaching(path))
        for unit in waiting:
            if self.has_main(unit):
                mains[unit] = None
                continue
            for user in self._users(unit):
                if user not in seen:
                    seen.add(user)
                    waiting.append(user)
        return tuple(mains)

    def _users(self, unit: str) -> Iterator[str]:
        """Units that use what this one defines."""
        defined = self._view(unit).defined
        words = frozenset(_word_of(name) for name in defined)
        files = {path for word in words for path in self.sources.with_word(word)}
        declaring = sorted(path for path in files if self._may_declare(path, words))
        for user in dict.fromkeys(user for path in declaring for user in self.reaching(path)):
            if user != unit and self._may_use(user, words) and self._view(user).uses(defined):
                yield user

    def _may_declare(self, path: str, words: frozenset[str]) -> bool:
        if not self.sources.is_worth_reading(path):
            return may_declare(self.sources.text(path) or "", words)
        if path not in self._declared:
            linkage = self.sources.linkage(path)
            self._declared[path] = frozenset(_word_of(name) for name in linkage.declared | linkage.extern_templates)
        return not words.isdisjoint(self._declared[path])

    def _may_use(self, user: str, words: frozenset[str]) -> bool:
        """Whether a unit holds one of the words itself, or a header of it does more than declare one."""
        if not words.isdisjoint(self.sources.words(user)):
            return True
        return any(not words.isdisjoint(self.sources.linkage(path).mentioned) for path in self.closure(user))

    def _nearest(self, name: str, user: str) -> tuple[str, ...]:
        """The units that define a name, as near to its user as any."""
        folder = posixpath.dirname(user)
        providers = [(folder_distance(folder, unit), unit) for unit in self._providers_of(name) if not self.has_main(unit)]
        least = min((distance for distance, _ in providers), default=0)
        return tuple(unit for distance, unit in providers if distance == least)

    def _providers_of(self, name: str) -> tuple[str, ...]:
        if name not in self._providers:
            files = [path for path in sorted(self._with_definition(name)) if self._offers(path, name)]
            units = dict.fromkeys(unit for path in files for unit in self.reaching(path))
            self._providers[name] = tuple(sorted(unit for unit in units if _provided(name, self._view(unit).defined)))
        return self._providers[name]

    def _with_definition(self, name: str) -> Iterator[str]:
        """Files that may define a name; a member may come with its class, by ``template class Plan<int>``."""
        owner, _, _ = name.removesuffix("::").rpartition("::")
        for word, is_there in ((_word_of(name), may_define), (owner, may_instantiate)):
            if word:
                paths = self.sources.with_word(word)
                yield from (
                    path for path in paths if self.sources.is_worth_reading(path) or is_there(self.sources.text(path) or "", (word,))
                )

    def _offers(self, path: str, name: str) -> bool:
        linkage = self.sources.linkage(path)
        return _provided(name, linkage.defined | linkage.constants)

    def _view(self, unit: str) -> _View:
        if unit not in self._views:
            self._views[unit] = self._viewed(unit)
        return self._views[unit]

    def _viewed(self, unit: str) -> _View:
        texts = [self.sources.linkage(path) for path in self.closure(unit)]
        declared = frozenset[str]().union(*(text.declared for text in texts))
        inner = frozenset[str]().union(*(text.inner for text in texts))
        mentioned = frozenset[str]().union(*(text.mentioned for text in texts))
        elsewhere = frozenset[str]().union(*(text.extern_templates for text in texts))
        constants = frozenset[str]().union(*(text.constants for text in texts)) & declared
        defined = frozenset[str]().union(*(text.defined for text in texts)) | constants
        missing = {name for name in declared - inner if not _provided(name, defined)}
        missing |= {name for name in elsewhere if not _provided(name, defined)}
        wanted = frozenset(name for name in missing if is_name_used(name, mentioned))
        return _View(defined, wanted, frozenset(_whole_class(name) for name in wanted if "::" in name))


def is_cuda(linker: Linker, units: tuple[str, ...]) -> bool:
    """Whether any of the units has to do with kernels."""
    if any(unit.endswith(".cu") for unit in units):
        return True
    texts = (linker.sources.text(path) or "" for unit in units for path in linker.closure(unit))
    return any(sign in text for text in texts for sign in _CUDA_SIGNS)


def _provided(name: str, defined: Set[str]) -> bool:
    """Whether a name is defined, or all members of its class template are."""
    return name in defined or ("::" in name and _whole_class(name) in defined)


def _whole_class(name: str) -> str:
    """A class template with all of its members, found by the name of any member."""
    return f"{name.removesuffix('::').partition('::')[0]}::"


def _word_of(name: str) -> str:
    """The word that a text must hold to declare the name; of an instantiated class template its own."""
    return name.removesuffix("::").rpartition("::")[2].removeprefix("~")
