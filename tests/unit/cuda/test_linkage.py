"""What a text offers to other units and takes from them."""

from __future__ import annotations

import pytest

from assistant.cuda.linkage import linkage_of
from assistant.cuda.linkage_hints import may_declare, may_define, may_instantiate


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("void f() {}", {"f"}),
        ("__global__ void __launch_bounds__(256, 2) k(float *a) {}", {"k"}),
        ("__device__ float *g(int n) { return 0; }", {"g"}),
        ('extern "C" void launch(int n) { }', {"launch"}),
        ('extern "C" { void a() {} int b; }', {"a", "b"}),
        ('namespace n { extern "C" void plain() {} }', {"plain"}),
        ("namespace a { namespace b { void f() {} } }", {"b::f"}),
        ("namespace a::b { inline namespace v1 { void f() {} } }", {"b::f"}),
        ("void ops::dot(int n) {}", {"ops::dot"}),
        ("std::vector<float> Solver::values() const { return {}; }", {"Solver::values"}),
        ("Solver::Solver(int n) : n_{n}, at_(nullptr) { g(); }", {"Solver::Solver"}),
        ("Solver::~Solver() noexcept(true) {}", {"Solver::~Solver"}),
        ("int a = 1, *b, c[3]; float d{2};", {"a", "b", "c", "d"}),
        ("int Solver::count = 0;", {"Solver::count"}),
        ("extern int a = 4;", {"a"}),
        ('const char *names[] = {"a"};', {"names"}),
        ("template <> void f<int>(int) {}", {"f"}),
        ("template void f<float>(float *);", {"f"}),
        ("template __global__ void k<4>(float *);", {"k"}),
        ("template class Plan<int>;", {"Plan::"}),
        ("#define I(T) template void f<T>(T *);\nI(int)", {"f"}),
        ("#define I(T) template void f<T>(T *);", set()),
        ("REGISTER(x)\nnamespace n { void f() {} }", {"n::f"}),
        ("auto f(int n) -> decltype(n) { return n; }", {"f"}),
        ("__attribute__((noinline)) void f(int (*g)(int), float x = max(1, 2)) {}", {"f"}),
        ("void f() try { } catch (...) { }\nvoid g() {}", {"f", "g"}),
        ("enum { A, B }; enum class C : int { D }; typedef struct { int x; } T; using U = int;", set()),
    ],
)
def test_other_units_can_take_what_has_external_linkage(text: str, names: set[str]) -> None:
    assert linkage_of(text).defined == names


@pytest.mark.parametrize(
    "text",
    [
        "static void f() {}",
        "inline void f() {}",
        "__device__ __forceinline__ void f() {}",
        "constexpr int f() { return 1; }",
        "MY_INLINE void f() {}",
        "template <class T> void f(T t) {}",
        "template <int N, class T = std::vector<int>> __global__ void f(T *t) {}",
        "namespace { void f() {} }",
        "namespace { namespace n { int f; } }",
        "static int f = 3;",
        "constexpr int f = 3;",
    ],
)
def test_what_is_a_units_own_is_not_offered(text: str) -> None:
    found = linkage_of(text)
    assert found.defined == frozenset()
    assert {name.rpartition("::")[2] for name in found.inner} == {"f"}


def test_a_constant_is_offered_only_where_it_is_declared_extern() -> None:
    assert linkage_of("const int n = 4; int *const p = 0;").constants == {"n", "p"}
    assert linkage_of("extern const int n = 4;").defined == {"n"}


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("void f(int);", {"f"}),
        ("extern __device__ float weights[8];", {"weights"}),
        ("namespace n { float *f(const T &t) __attribute__((pure)); }", {"n::f"}),
        ("template <class T> void f(T);", {"f"}),
        ("struct S { S(); ~S(); void a() const; virtual int b() = 0; int c() { return 1; } S(const S &) = delete; static int n; };",
         {"S::S", "S::~S", "S::a", "S::n"}),
        ("class API S : public Base<int> { public: explicit S(int); private: void a(int = 3) override; friend void h(S); };",
         {"S::S", "S::a"}),
        ("int main() { extern void f(float *); extern __shared__ float part[]; f(0); }", {"f"}),
        ("static void f(); dim3 grid(1, 2); CHECK(x);", set()),
        ("typedef void (*fn)(int); using F = void(int);", set()),
        ("struct S { int x; }; bool operator==(S, S);", set()),
    ],
)  # fmt: skip
def test_declarations_without_a_body_are_taken_from_elsewhere(text: str, names: set[str]) -> None:
    assert linkage_of(text).declared == names


def test_an_extern_template_is_taken_from_elsewhere_although_it_is_defined_here() -> None:
    found = linkage_of("template <class T> void f(T) {} extern template void f<int>(int); extern template class Plan<int>;")
    assert (found.extern_templates, found.inner) == ({"f", "Plan::"}, {"f"})


def test_a_declaration_uses_nothing_and_a_body_uses_what_it_names() -> None:
    found = linkage_of("#define GO launch()\nvoid a(); void b(Type t) { c(t); } int d = e(); class S { S(); void m() { S s; } };")
    assert [name for name in ("a", "b", "c", "e", "launch", "Type", "S::S", "S::~S") if found.is_used(name)] == ["c", "e", "launch", "Type"]


def test_a_class_is_used_outside_of_itself() -> None:
    found = linkage_of("class S { ~S(); }; int main() { S s; }")
    assert found.is_used("S::~S")
    assert not found.is_used("S::m")


@pytest.mark.parametrize(
    "text",
    [
        "int main() {}",
        "int\nmain (void)\n{ }",
        "auto main(int c, char **v) -> int { return 0; }",
        'extern "C" int main() {}',
        "#ifndef GUARD\n#define GUARD\nint main() {}\n#endif",
        "#if 1\nint main() {}\n#endif",
        "#if 0\n#else\nint main() {}\n#endif",
        "#ifdef A\nint main(int c) {\n#else\nint main() {\n#endif\n}",
        "int ma\\\nin() {}",
    ],
)
def test_main_is_found(text: str) -> None:
    assert linkage_of(text).main is not None


@pytest.mark.parametrize(
    "text",
    [
        "// int main() {}",
        "/*\nint main() {}\n*/",
        'const char *s = "int main() {}";',
        'const char *s = R"(\nint main() {}\n)";',
        "#if 0\nint main() {}\n#endif",
        "#if 0\n#if 1\nint main() {}\n#endif\n#endif",
        "#if 1\n#else\nint main() {}\n#endif",
        "#if false\n#elif 0\nint main() {}\n#endif",
        "namespace n { int main() {} }",
        "struct S { int main() { return 1; } };",
        "int main();",
        "#define main other\nvoid f() { main(); }",
        "int S::main() {}",
    ],
)
def test_what_only_looks_like_main_is_none(text: str) -> None:
    assert linkage_of(text).main is None


def test_branches_that_open_the_same_brace_hide_nothing_behind_them() -> None:
    text = "#ifdef A\nvoid f(int c) {\n#else\nvoid f() {\n#endif\n}\nnamespace n { void g() {} }\n#if X\nvoid h() {}\n#endif\nint main() {}"
    found = linkage_of(text)
    assert (found.defined, found.main is not None) == ({"f", "n::g", "h"}, True)


@pytest.mark.parametrize(
    ("condition", "needs", "forbids"),
    [
        ("#ifdef TEST", "TEST", ""),
        ("#if defined(TEST)", "TEST", ""),
        ("#if defined TEST", "TEST", ""),
        ("#if TEST", "TEST", ""),
        ("#ifndef TEST", "", "TEST"),
        ("#if !defined(TEST)", "", "TEST"),
        ("#ifndef TEST\n#else", "TEST", ""),
        ("#if TEST > 3", "", ""),
        ("#if X > 2\n#elif defined(TEST)", "TEST", ""),
    ],
)
def test_main_comes_with_the_condition_that_it_stands_in(condition: str, needs: str, forbids: str) -> None:
    main = linkage_of(f"{condition}\nint main() {{}}\n#endif\nint x;").main
    assert main is not None
    assert [(one.needs, one.forbids) for one in main.conditions] == [(needs, forbids)]


@pytest.mark.parametrize(
    "text", ["", "{{{", ")))", "void f( {", "template <", 'extern "C"', "namespace", "class S {", "extern", "#if", "int main("]
)
def test_half_typed_text_is_read(text: str) -> None:
    assert linkage_of(text).main is None


_TEXTS = (
    "void f(int a, // count; must be even\n int b) { }",
    "void f(std::vector<int> v = {}) { }",
    "int x = 1, f = 2;",
    "static int g, *f;\nint f;",
    "Thing\nf\n(int) /* { */ {}",
    "struct f { f(); ~f(); }; f::f() : a{1} {}",
    "template class f<int>;",
    "template void f<int>(int);",
    "extern int f;",
    "void f(int); void g() { f(2); }",
    "class C { virtual void f() const = 0; static int n; void f(int); };",
    "float *f(int), x; auto p = [] { return 1; };",
    "extern __constant__ float f[3];",
    "void g() { f<<<1, 2>>>(3); f(4); }",
)


@pytest.mark.parametrize("text", _TEXTS)
def test_a_hint_never_says_no_where_reading_says_yes(text: str) -> None:
    found = linkage_of(text)
    names = {name.removesuffix("::").rpartition("::")[2].removeprefix("~") for name in found.defined}
    assert "f" not in names or may_define(text, ("f",))
    assert "f::" not in found.defined or may_instantiate(text, ("f",))
    assert "f" not in {name.rpartition("::")[2].removeprefix("~") for name in found.declared} or may_declare(text, ("f",))


def test_hints_spare_the_reading_of_what_only_calls() -> None:
    caller = "void g() { f(1); int x = f(2) + 3; k<<<1, 2>>>(f(3)); }"
    assert not may_define(caller, ("f", "k"))
    assert not may_declare(caller, ("f", "k"))
    assert not may_declare("__global__ void k(int *a) { a[0] = 1; }", ("k",))
    assert not may_instantiate("template <class T> struct P { };", ("P",))


@pytest.mark.parametrize(
    "text",
    [
        "{" * 5000,
        "a<" * 5000,
        "namespace a {" * 3000,
        "class A { " * 3000,
        "template<class T> " * 3000,
        'extern "C" ' * 3000,
        "x = a < b; " * 3000,
    ],
)
def test_text_without_an_end_is_read_to_its_end(text: str) -> None:
    assert linkage_of(text + "\nint main() {}").defined == frozenset()


def test_a_generated_table_is_passed_over() -> None:
    table = "float weights[] = {" + "1.5e-3f, -2, 0x1F,\n" * 2000 + "};"
    found = linkage_of(f"{table}\nint main() {{}}")
    assert (found.defined, found.main is not None) == ({"weights"}, True)
