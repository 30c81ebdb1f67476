"""Function definitions of a syntax tree: names, parameters, bodies, and which one stands around a piece of code.

Example::

    [f.name for f in functions(SyntaxTree("namespace n { __device__ int f() { return g(); } }"))]   # ['f']
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence

from assistant.cuda.syntax import Node, SyntaxTree, kept
from assistant.cuda.variables import Variable, parameters_of
from assistant.model.source import Span
from assistant.record import Record

__all__ = ["Function", "called_names", "callee", "enclosing_definition", "enclosing_function", "function_declarator", "functions"]

_CLASSES = frozenset({"class_specifier", "struct_specifier", "union_specifier"})


class Function(Record):
    """One function definition."""

    name: str
    """Unqualified, without template arguments."""
    scopes: tuple[str, ...]
    """Named namespaces and classes around it, and those it is qualified with."""
    span: Span
    """The whole definition: template head, ``extern "C"`` and attributes included."""
    name_span: Span
    tree: SyntaxTree
    declarator: Node
    """The ``function_declarator``."""
    parameter_list: Node
    template: Node | None
    """Its template parameter list; None when it is not a template."""
    node: Node
    """The ``function_definition``, without what stands around it; a ``declaration`` where it is being typed."""
    body: Node
    is_kernel: bool
    is_device: bool
    is_extern_c: bool
    is_internal: bool
    """``static``, or in an unnamed namespace."""
    line: int

    @property
    def parameters(self) -> tuple[Variable, ...]:
        """In order; an unnamed one has an empty name. Read when they are asked for: a text that is typed in holds many functions."""
        return parameters_of(self.tree, self.declarator)

    def parameter(self, name: str) -> Variable | None:
        return next((p for p in self.parameters if p.name == name), None)


@kept
def functions(tree: SyntaxTree) -> tuple[Function, ...]:
    """Every function definition with a body, in source order."""
    definitions = [(n, n.child_by_field_name("body")) for n in tree.find("function_definition") if not _is_macro_block(tree, n)]
    half_typed = _half_typed(tree) if tree.root.has_error else ()
    found = (_function(tree, node, body) for node, body in sorted((*definitions, *half_typed), key=lambda pair: pair[0].start_byte))
    return tuple(function for function in found if function is not None)


def callee(tree: SyntaxTree, function: Node) -> tuple[str, tuple[str, ...]]:
    """The name as written without template arguments (``ns::k``), and the template arguments of its last part."""
    prefix = ""
    while function.type == "qualified_identifier":
        scope = function.child_by_field_name("scope")
        name = function.child_by_field_name("name")
        if name is None:
            break
        prefix += ("" if scope is None else tree.text(scope)) + "::"
        function = name
    if function.type in ("template_function", "template_method", "template_type"):
        name = function.child_by_field_name("name")
        arguments = function.child_by_field_name("arguments")
        if name is not None and arguments is not None:
            return prefix + tree.text(name), tuple(tree.text(node) for node in arguments.named_children if node.type != "comment")
    return prefix + tree.text(function), ()


def enclosing_definition(tree: SyntaxTree, node: Node) -> Node | None:
    """The function definition around ``node``; None at file scope."""
    found = (parent for parent in tree.ancestors(node) if parent.type == "function_definition")
    return next((definition for definition in found if not _is_macro_block(tree, definition)), None)


def enclosing_function(tree: SyntaxTree, node: Node) -> Function | None:
    """The function whose definition contains ``node`` or is it; None at file scope."""
    around = {ancestor.id for ancestor in (node, *tree.ancestors(node))}
    return next((function for function in reversed(functions(tree)) if function.node.id in around), None)


def called_names(tree: SyntaxTree, body: Node) -> tuple[str, ...]:
    """Unqualified names of the functions called in ``body``, each once, in order of first call."""
    names: dict[str, None] = {}
    for call in tree.find("call_expression", inside=body):
        function = call.child_by_field_name("function")
        if function is not None and function.type == "field_expression":
            function = function.child_by_field_name("field")
        if function is not None:
            names.setdefault(callee(tree, function)[0].split("::")[-1])
    return tuple(names)


def function_declarator(node: Node) -> Node | None:
    """The declarator with the parameters, behind the ``*`` and ``&`` of the return type."""
    declarator = node.child_by_field_name("declarator")
    while declarator is not None and declarator.type != "function_declarator":
        inner = declarator.child_by_field_name("declarator")
        declarator = inner or next((c for c in declarator.named_children if c.type.endswith("declarator")), None)
    return declarator


def _is_macro_block(tree: SyntaxTree, definition: Node) -> bool:
    """Is it a ``CUDA_KERNEL_LOOP(i, n) { … }`` inside a body, which the grammar takes for a function?"""
    for parent in tree.ancestors(definition):
        if parent.type in _CLASSES:
            return False
        if parent.type == "compound_statement":
            return True
    return False


def _half_typed(tree: SyntaxTree) -> Iterator[tuple[Node, Node]]:
    """(declaration, braces) of ``void k(int *a) { a[0] = 1 }``, which the grammar takes for a variable until the semicolon comes."""
    for declarator in tree.find("init_declarator"):
        parent, value = declarator.parent, declarator.child_by_field_name("value")
        if parent is None or not parent.has_error or value is None or value.type != "initializer_list":
            continue
        if function_declarator(parent) is not None and "=" not in {child.type for child in declarator.children}:
            yield parent, value


def _function(tree: SyntaxTree, node: Node, body: Node | None) -> Function | None:
    declarator = function_declarator(node)
    if declarator is None or body is None:
        return None
    name = declarator.child_by_field_name("declarator")
    parameters = declarator.child_by_field_name("parameters")
    if name is None or parameters is None:
        return None
    outermost, template, is_linkage = _around(tree, node)
    span = Span(_with_attributes(tree, tree.span(outermost).start), tree.span(outermost).end)
    qualified, _ = callee(tree, name)
    reading = tree.reading
    head = range(span.start, tree.span(parameters).start)
    return Function(
        name=qualified.split("::")[-1],
        scopes=(*_scopes(tree, node), *qualified.split("::")[:-1]),
        span=span,
        name_span=_name_span(tree, name),
        tree=tree,
        declarator=declarator,
        parameter_list=parameters,
        template=template,
        node=node,
        body=body,
        is_kernel=_has_any(reading.kernel_marks, head),
        is_device=_has_any(reading.device_marks, head),
        is_extern_c=is_linkage or _has_any(reading.extern_c_marks, head),
        is_internal=_is_internal(tree, node),
        line=tree.line(name),
    )


def _is_internal(tree: SyntaxTree, node: Node) -> bool:
    """Whether other units cannot see a function of the file."""
    if any(child.type == "storage_class_specifier" and tree.text(child) == "static" for child in node.children):
        return not any(parent.type in _CLASSES for parent in tree.ancestors(node))
    return any(parent.type == "namespace_definition" and parent.child_by_field_name("name") is None for parent in tree.ancestors(node))


def _has_any(marks: Sequence[int], head: range) -> bool:
    """Whether one of ``marks`` (in order) lies in ``head``."""
    index = bisect_left(marks, head.start)
    return index < len(marks) and marks[index] in head


def _around(tree: SyntaxTree, node: Node) -> tuple[Node, Node | None, bool]:
    """The outermost declaration that is only about this function, its template head, and whether it has C linkage."""
    outermost = node
    template: Node | None = None
    is_linkage = False
    for parent in tree.ancestors(node):
        if parent.type == "template_declaration":
            template = template or parent.child_by_field_name("parameters")
            outermost = parent
        elif parent.type == "linkage_specification":
            is_linkage = is_linkage or '"C"' in tree.text(parent)[:20]
            body = parent.child_by_field_name("body")
            outermost = outermost if body is None or body.type == "declaration_list" else parent
    return outermost, template, is_linkage


def _with_attributes(tree: SyntaxTree, start: int) -> int:
    """``start`` moved up over blanked attributes that come right before it."""
    for span in reversed(tree.reading.blanked):
        if span.end <= start and not tree.reading.code[span.end : start].strip():
            start = span.start
    return start


def _name_span(tree: SyntaxTree, name: Node) -> Span:
    while name.type in ("qualified_identifier", "template_function", "template_method"):
        inner = name.child_by_field_name("name")
        if inner is None:
            break
        name = inner
    return tree.span(name)


def _scopes(tree: SyntaxTree, node: Node) -> tuple[str, ...]:
    names: list[str] = []
    for parent in tree.ancestors(node):
        name = parent.child_by_field_name("name")
        if name is not None and (parent.type == "namespace_definition" or parent.type in _CLASSES):
            names[:0] = [part.strip() for part in tree.text(name).split("::")]
    return tuple(names)
