"""What inline assembly says."""

from __future__ import annotations

import pytest

from assistant.cuda.inline_assembly import assembly_in, registers_in


@pytest.mark.parametrize(
    ("code", "template", "is_plain", "directives"),
    [
        ('asm volatile("mov.u32 %0, 1;" : "=r"(x));', "mov.u32 %0, 1;", True, ()),
        ('asm("{ .reg .pred p;\\n" "bra L; }");', "{ .reg .pred p;\nbra L; }", True, ("reg", "pred")),
        ('asm("ld.global.f32 %0, [%1].x;");', "ld.global.f32 %0, [%1].x;", True, ()),
        ('asm(".incbin \\"/etc/passwd\\"");', '.incbin \\"/etc/passwd\\"', True, ("incbin",)),
        ('asm("\\x2e" "incbin");', "\\x2eincbin", False, ()),
        ('asm("a" MACRO);', "a", False, ()),
        ('asm("a /* b */");', "a /* b */", False, ()),
        ("asm(TEXT);", None, False, ()),
        ('asm(R"(a)");', None, False, ()),
        ("asm goto(x);", None, False, ()),
        ('int f() asm("system");', None, False, ()),
        ('extern int v asm("stdout");', None, False, ()),
        ('asm volatile goto ("a");', None, False, ()),
    ],
)
def test_assembly(code: str, template: str | None, is_plain: bool, directives: tuple[str, ...]) -> None:
    (found,) = assembly_in(code)
    assert (found.template, found.is_plain) == (template, is_plain)
    assert tuple(word for word in found.directives if word in ("reg", "pred", "incbin")) == directives


def test_no_assembly() -> None:
    assert not list(assembly_in('int asm_count; // asm("x")\nputs("asm(1)");'))


def test_registers() -> None:
    code = 'asm("mov.u32 %0, %smid; mov %1, %%clock;" : "=r"(a % warpid)); ASM(mov.u32 x, %nsmid);'
    assert [name for name, _ in registers_in(code)] == ["smid", "clock", "nsmid"]
    assert all(code.startswith(name, start) for name, start in registers_in(code))
