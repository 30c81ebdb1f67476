"""The grid that a launch's own text asks for at other sizes: ``dim3 grid((n + 127) / 128)`` is read where it can be.

Example::

    written = written_grid(version.files, kernel.key, {"n": 1000}, config)
    written.at({"n": 2000})       # (Dim3(16, 1, 1),)
    written.names                 # frozenset({"n"})
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from assistant.cuda.embedded.cell_launch import CellLaunch, launch_in
from assistant.cuda.integers import evaluate
from assistant.cuda.launch_shape import Launch, Shape, launch_of
from assistant.cuda.launches import configured_launch_sites
from assistant.cuda.parse import parse_with_trees
from assistant.cuda.syntax import SyntaxTree
from assistant.model.launch import Dim3, LaunchConfig
from assistant.model.source import Kernel, ParsedSource
from assistant.record import Record
from assistant.workload.own_launch import config_at
from assistant.workload.relations import Sizes

__all__ = ["WrittenGrid", "written_grid"]

_GROWTHS = (2, 4096)
"""How many times as large sizes are made to see whether a grid follows from them: a launch of one block has one at twice its size, too."""


class WrittenGrid(Record):
    """What the text of a kernel's launches says: one grid for each launch that it may have been."""

    launches: tuple[_Read | _OfCell, ...]
    names: frozenset[str]
    """The integers that it follows from."""

    def at(self, sizes: Sizes) -> tuple[Dim3, ...]:
        """Grids at ``sizes``; none where the text does not say."""
        return tuple(dict.fromkeys(grid for launch in self.launches if (grid := launch.grid(sizes)) is not None))


def written_grid(files: Sequence[ParsedSource], key: str, own: Sizes, config: LaunchConfig) -> WrittenGrid | None:
    """The grid as written at the launches in any of a program's ``files``, or on the line of a notebook's cell, whose text comes to
    ``config`` at the sizes ``own``.

    ``key``: of the kernel, as `Kernel.key`. None where no launch says it, or where no size is named there.
    """
    kernel = next((kernel for parsed in files for kernel in parsed.kernels if kernel.key == key), None)
    if kernel is None:
        return None
    parameters = tuple(parameter.name for parameter in kernel.parameters)
    launches = [launch for parsed in files for launch in _launches(parsed, kernel, files)]
    cells = (launch_in(parsed.source.text) for parsed in files)
    reads = (*(_Read(launch, parameters, config.block) for launch in launches), *(_OfCell(cell) for cell in cells if cell is not None))
    fitting = tuple(read for read in reads if read.grid(own) == config.grid and _follows(read, own, own.keys()))
    names = frozenset(name for name in own for read in fitting if _follows(read, own, {name}))
    return WrittenGrid(fitting, names) if names else None


def _launches(parsed: ParsedSource, kernel: Kernel, files: Sequence[ParsedSource]) -> Iterator[Launch]:
    """Of the kernel, in one of the files; constants may be those of the others."""
    trees, sites = parse_with_trees(parsed.source)[1], parsed.launch_sites_of(kernel)
    others = tuple(file.source for file in files if file is not parsed)
    if others and len(trees) == 1:
        trees = (SyntaxTree(parsed.source.text, others=others).program,)
    for tree in trees:
        configured = [site for site in configured_launch_sites(tree) if site.kernel_name == kernel.name]
        found = (launch_of(tree, site) for site in (*sites, *configured))
        yield from (launch for launch in found if launch is not None)


def _follows(read: _Read | _OfCell, own: Sizes, names: Collection[str]) -> bool:
    """Whether the grid is another one where these sizes are larger."""
    larger = ({**own, **{name: times * own[name] + 1 for name in names}} for times in _GROWTHS)
    return any(read.grid(sizes) != read.grid(own) for sizes in larger)


class _OfCell(Record):
    """The launch that a cell's line gives."""

    launch: CellLaunch

    def grid(self, sizes: Sizes) -> Dim3 | None:
        config = config_at(self.launch, sizes)
        return None if config is None else config.grid


class _Read(Record):
    """One launch in the text."""

    launch: Launch
    parameters: tuple[str, ...]
    """Names of the kernel's, in order."""
    block: Dim3

    def grid(self, sizes: Sizes) -> Dim3 | None:
        known = self._known(sizes)
        if known is None:
            return None
        for shape in self.launch.named:
            if (named := self._evaluated(shape, known)) is not None:
                known = {f"{shape.variable}.{axis}": count for axis, count in zip("xyz", named.axes, strict=True)} | known
        return self._evaluated(self.launch.grid, known)

    def _evaluated(self, shape: Shape, known: Mapping[str, int]) -> Dim3 | None:
        """What it comes to, with values by the host's names."""
        components = shape.components or ((shape.expression,) if shape.variable is None else ())  # a size that the host function is passed
        counts = [evaluate(component, self.launch.scope, known) for component in components]
        positive = [count for count in counts if count is not None and count > 0]
        return Dim3(*positive) if positive and len(positive) == len(counts) else None

    def _known(self, sizes: Sizes) -> dict[str, int] | None:
        """Values of what the host passes, by the host's names; None where two of ``sizes`` are one and the same there and differ."""
        known: dict[str, int] = {}
        for argument, parameter in zip(self.launch.site.arguments, self.parameters, strict=False):
            host_name = argument.text.replace(" ", "")
            members = {name.removeprefix(parameter): value for name, value in sizes.items() if f"{name}.".startswith(f"{parameter}.")}
            for member, value in members.items():
                if known.setdefault(host_name + member, value) != value:
                    return None
        for name, value in _members_alike(sizes).items():
            known.setdefault(name, value)
        block = self.launch.block.variable
        return known | ({} if block is None else {f"{block}.x": self.block.x, f"{block}.y": self.block.y, f"{block}.z": self.block.z})


def _members_alike(sizes: Sizes) -> dict[str, int]:
    """The last names of members of structs, where all of that name agree: a host that fills ``in.channels`` and ``out.channels`` calls it
    ``channels``, too; the grid that it writes has to come to the recorded one."""
    found: dict[str, set[int]] = {}
    for name, value in sizes.items():
        if "." in name:
            found.setdefault(name.rpartition(".")[2], set()).add(value)
    return {name: values.pop() for name, values in found.items() if len(values) == 1}
