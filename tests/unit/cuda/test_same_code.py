"""Texts that differ in comments and spacing alone are the same code."""

import pytest

from assistant.cuda.same_code import code_hash, code_of_line, is_same_code


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
    assert code_hash(a) == code_hash(b) and is_same_code(a, b)


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
    assert code_hash(a) != code_hash(b) and not is_same_code(a, b)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("a + +b", "a++b"),
        ("a++ + b", "a + ++b"),
        ("x = 1.f;", "x = 1 .f;"),
        ("a > >b", "a >>b"),
        ("n / *p", "n /*p*/"),
        ("f(1, 2)", "f(12)"),
    ],
)
def test_spaces_that_part_one_token_into_two_are_code(a: str, b: str) -> None:
    assert not is_same_code(a, b)


def test_code_that_knows_its_line_moves_with_nothing() -> None:
    assert is_same_code("int n = __LINE__;", "int n = __LINE__;")
    assert not is_same_code("int n = __LINE__;", "\nint n = __LINE__;")


def test_a_line_is_compared_by_its_code_and_one_without_code_by_its_words() -> None:
    assert code_of_line("  a = b;  // one\n") == code_of_line("a=b; // two") != code_of_line("a = c;")
    assert code_of_line("// one\n") == code_of_line("  // one") != code_of_line("// two")
