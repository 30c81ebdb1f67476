"""A first declared block for a kernel, guessed from its parameters, body and launch site; what `kernelopt init FILE` writes.

The text is a complete comment that parses back; every guess that the user should look at carries a remark.

Example::

    write_block(source.text, kernel, site)    # '/* kernelopt\\n[workload.saxpy]\\nargs = { … }\\n…*/\\n'
"""

from __future__ import annotations

from assistant.cuda.code_patterns import CodePattern, Words
from assistant.cuda.launch_shape import Launch, launch_of
from assistant.cuda.recovery import located, recover
from assistant.cuda.syntax import node_text
from assistant.model.elements import ElementKind, parse_element_type
from assistant.model.source import Kernel, LaunchSite, Parameter
from assistant.workload.array_use import is_accumulated, is_only_stored, is_written
from assistant.workload.launch_text import carried_expression, carried_grid, one_line
from assistant.workload.plan_block import BlockPlan, plan_block

__all__ = ["write_block"]

_FACTOR_NAMES = Words(r"(?i).*(?:alpha|beta|gamma|eps|lr|scale|factor|dt|dx|mean|std|prob).*")
_SMALL_NUMBER = 3
"""Value of an integer parameter that is no size: an offset, a key, a seed."""
_WARP = 32
_USERS_TYPE = CodePattern(r"(?!(?:unsigned|signed|int|long|short|char|bool|auto|\w+_t)\b)[A-Za-z_]\w*(?:::\w+)*")
"""A type that the text declares: a number is none of its values."""


def write_block(text: str, kernel: Kernel, site: LaunchSite | None) -> str:
    """The comment for ``kernel``, whose source is ``text``; ends with a line break."""
    trees = recover(text).trees
    tree, body = located(trees, kernel.body)
    launch = None if site is None else launch_of(located(trees, site.span)[0], site)
    plan = plan_block(kernel, tree, body, launch)
    lines = [f"[workload.{kernel.name}]"]
    if kernel.namespaces or kernel.template_parameters:
        lines.append(_kernel_line(kernel))
    carried = None if launch is None else _usable(carried_grid(launch, kernel, plan.sizes), plan)
    grid = carried or tuple(axis.blocks for axis in plan.axes)
    lines.append(f"grid = [{', '.join(_quoted(item) for item in grid)}]" + _remark(carried is None, plan))
    lines.append(f"block = [{', '.join(map(str, plan.block))}]" + _remark(plan.is_block_guessed, plan))
    lines.extend(_shared_line(launch, kernel, plan))
    lines.extend(_shape_lines(plan))
    lines.append(f"[workload.{kernel.name}.args]")
    for parameter in kernel.parameters:
        value, remark = _value(parameter, kernel, plan)
        lines.append(f"{parameter.name} = {value}{f'   # {remark}' if remark else ''}")
    return "/* kernelopt\n" + "\n".join(lines) + "\n*/\n"


def _usable(grid: tuple[str, ...] | None, plan: BlockPlan) -> tuple[str, ...] | None:
    """A grid of numbers fits the program's own sizes only, unless the kernel strides by the whole grid."""
    is_fixed = grid is not None and all(item.isdigit() for item in grid)
    return None if is_fixed and plan.sizes and not any(word.startswith("gridDim_") for word in plan.body.names.words) else grid


def _kernel_line(kernel: Kernel) -> str:
    if not kernel.template_parameters:
        return f'kernel = "{kernel.qualified_name}"'
    values = [p.default or _some_argument(p.kind) for p in kernel.template_parameters]
    return f'kernel = "{kernel.qualified_name}<{", ".join(values)}>"   # check the template arguments'


def _some_argument(kind: str) -> str:
    """A template argument of a kind that compiles, whatever it means: an enumeration takes no plain number."""
    if kind in ("typename", "class"):
        return "float"
    return f"{kind}{{}}" if _USERS_TYPE.is_all(kind) else "1"


def _shared_line(launch: Launch | None, kernel: Kernel, plan: BlockPlan) -> list[str]:
    if launch is None or launch.shared is None or node_text(launch.shared) == "0":
        return []
    carried = carried_expression(launch.shared, launch, kernel, plan.sizes)
    if carried is None:
        return [f"shared = 0   # bytes; the program passes {one_line(node_text(launch.shared))}"]
    return [f"shared = {_quoted(carried)}"]


def _shape_lines(plan: BlockPlan) -> list[str]:
    """The shapes; where the kernel does not take all sizes, what they may be."""
    if not plan.sizes:
        return []
    shapes = ("{ " + ", ".join(f"{name} = {value}" for name, value in shape.items()) + " }" for shape in plan.shapes)
    lines = [f"shapes = [{', '.join(shapes)}]"]
    if plan.multiples:
        rules = ", ".join(f"{name} = {{ min = {step}, multiple_of = {step} }}" for name, step in plan.multiples.items())
        lines.append(f"sizes = {{ {rules} }}   # the kernel does not check for others")
    return lines


def _value(parameter: Parameter, kernel: Kernel, plan: BlockPlan) -> tuple[str, str]:
    """(TOML value, remark) of an argument."""
    if not parameter.is_pointer:
        return _scalar(parameter, kernel, plan)
    array = plan.arrays[parameter.name]
    element = parse_element_type(parameter.element_type or "")
    names = {p.name for p in kernel.template_parameters}
    guess = "" if array.is_read else "guessed: how it is indexed is not clear from the text"
    if element is None and parameter.element_type not in names:
        return _quoted(f"zeros({array.count})"), f"{parameter.element_type} is not supported here"
    if not parameter.is_const and is_only_stored(parameter.name, plan.body.names):
        return _quoted(f"empty({array.count})"), guess
    if not parameter.is_const and is_accumulated(parameter.name, plan.body.names):
        return _quoted(f"zeros({array.count})"), guess or "added to"
    if array.is_offsets:
        return _quoted(f"arange({array.count})"), "offsets into other arrays"
    if element is not None and not element.is_floating:
        high = 2 if element.kind is ElementKind.BOOL else array.limit
        return _quoted(f"randint(0, {high}, {array.count})"), guess
    is_changed = not parameter.is_const and is_written(parameter.name, plan.body.names)
    return _quoted(f"randn({array.count})"), guess or ("read and written" if is_changed else "")


def _scalar(parameter: Parameter, kernel: Kernel, plan: BlockPlan) -> tuple[str, str]:
    if parameter.name in plan.sizes:
        return _quoted(parameter.name), ""
    spelled = parameter.type.removeprefix("const ").strip()
    element = parse_element_type("float" if kernel.has_type_parameter(spelled) else parameter.type)
    if element is None:
        return "0", f"a {one_line(parameter.type)}: give a table of its fields"
    if element.kind is ElementKind.BOOL:
        return "1", ""
    if not element.is_floating:
        return str(_SMALL_NUMBER), ""
    return ("0.5", "") if parameter.name in _FACTOR_NAMES else ("2.0", "")


def _quoted(text: str) -> str:
    return text if text.isdigit() else f'"{text}"'


def _remark(is_guessed: bool, plan: BlockPlan) -> str:
    if not is_guessed:
        return ""
    per = "block" if plan.axes[0].counter.startswith("block") else "thread"
    return f"   # guessed: one {per} per element"
