"""Texts that differ in comments and spacing alone are the same code."""

import pytest

from assistant.cuda.same_code import code_hash


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("int a;", "int  a ;  // one"),
        ("int a; /* two\nlines */ int b;", "int a;\n\n\nint b;"),
        ("#define N  4\nint a[N];", "#define N 4\n\nint a[N];"),
        ('puts("a");', 'puts( "a" );'),
    ],
)
def test_comments_and_spacing_do_not_count(a: str, b: str) -> None:
    assert code_hash(a) == code_hash(b)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("int a;", "int b;"),
        ("int ab;", "int a b;"),
        ('puts("a b");', 'puts("a  b");'),
        ('puts("// a");', 'puts("");'),
        ("#define F (x)", "#define F(x)"),
        ('auto s = R"(a  b)";', 'auto s = R"(a b)";'),
        ("/* kernelopt\nblock = [32]\n*/", "/* kernelopt\nblock = [64]\n*/"),
    ],
)
def test_everything_else_does(a: str, b: str) -> None:
    assert code_hash(a) != code_hash(b)
