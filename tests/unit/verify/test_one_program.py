"""Where compilers part in an edit, from what their preprocessors left; the preprocessors themselves are asked elsewhere."""

from __future__ import annotations

from assistant.model.preprocessed import MACRO_MARK, NotPreprocessed, PreprocessedProgram, Preprocessings, Survivor
from assistant.verify.changed_lines import ChangedLines
from assistant.verify.lines import Text
from assistant.verify.one_program import device_text, idle_lines, new_differences

A = "__global__ void k(float *o)\n{\n  o[0] = 1;\n}\nint main()\n{\n  return 0;\n}"


def view(text: str, macros: tuple[tuple[str, str], ...] = (), file: str = "/p/a.cu", left_out: tuple[int, ...] = ()) -> PreprocessedProgram:
    lines = (Survivor(file, n, line.strip()) for n, line in enumerate(text.split("\n"), 1) if line.strip() and n not in left_out)
    return PreprocessedProgram(tuple(lines), macros, ())


def all_alike(text: str, file: str = "/p/a.cu") -> Preprocessings:
    return Preprocessings(view(text, file=file), view(text, file=file), view(text, file=file))


def differences(after: str, views: Preprocessings, before: Preprocessings | None = None) -> list[str]:
    changed = ChangedLines(Text("/p/a.cu", A), Text("/p/a.cu", after))
    return [found.message for found in new_differences(before or all_alike(A), views, changed)]


def with_store(line: str) -> str:
    return A.replace("  o[0] = 1;", line)


def test_a_line_that_one_compiler_leaves_out_is_reported_with_whose_it_is() -> None:
    text = with_store("  o[0] = 2;")
    for left_out, words in (((3,), "compiled by the emulator and not by nvcc for the GPU"), ((), None)):
        views = Preprocessings(view(text), view(text, left_out=left_out), view(text))
        assert differences(text, views) == ([] if words is None else [f"line 3 is {words}"])


def test_device_code_may_differ_for_the_host_and_host_code_for_the_gpu() -> None:
    text = with_store("  o[0] = 2;")
    assert differences(text, Preprocessings(view(text), view(text, left_out=(7,)), view(text, left_out=(3,)))) == []
    assert differences(text, Preprocessings(view(text), view(text), view(text, left_out=(7,)))) == [
        "line 7 is compiled by the emulator and not by nvcc for the host"
    ]


def test_what_may_be_either_must_be_alike_for_both() -> None:
    text = A.replace("__global__ void k", "__host__ __device__ int two() {\n  return 2;\n}\n__global__ void k")
    for device, host in (((2,), ()), ((), (2,))):
        assert len(differences(text, Preprocessings(view(text), view(text, left_out=device), view(text, left_out=host)))) == 1


def test_where_the_originals_own_line_differs_alike_the_edit_is_not_to_blame() -> None:
    def views(text: str) -> Preprocessings:
        return Preprocessings(view(text), view(text.replace("return 0", "return 1")), view(text.replace("return 0", "return 1")))

    text = with_store("  o[0] = 2;")
    assert differences(text, views(text), views(A)) == []
    assert differences(text, views(text)) == ["line 7 reads `return 0 ;` in the emulator and `return 1 ;` with nvcc for the host"]
    moved = A.replace("  return 0;", "").replace("  o[0] = 1;", "  o[0] = 1; return 0;")
    assert differences(moved, views(moved), views(A)) != []


def test_a_macro_that_stands_for_something_else_is_named_and_cudas_own_words_are_not() -> None:
    def views(name: str, ours: str, theirs: str) -> tuple[str, Preprocessings]:
        text = with_store(f"  o[0] = {MACRO_MARK}{name};")
        mine, other = view(text, ((name, ours),)), view(text, ((name, theirs),))
        return with_store(f"  o[0] = {name};"), Preprocessings(mine, other, other)

    assert differences(*views("LEVEL", "1", "2")) == [
        "line 3 uses the macro LEVEL, which is `1` in the emulator and `2` with nvcc for the GPU"
    ]
    assert differences(*views("LEVEL", "1", "1")) == differences(*views("CUDART_PI_F", "3.14f", "3.14F")) == []


def test_a_word_of_cuda_in_a_string_or_a_name_shows_how_it_is_written() -> None:
    for line in (f'"{MACRO_MARK}__device__"', f"x{MACRO_MARK}__device__"):
        text = with_store(f"  o[0] = sizeof({line});")
        views = Preprocessings(view(text, (("__device__", ""),)), view(text, (("__device__", "__attribute__((device))"),)), view(text))
        assert len(differences(text, views)) == 1


def test_a_definition_is_what_it_mentions_too() -> None:
    text = with_store(f"  o[0] = {MACRO_MARK}OUTER;")
    ours, theirs = ((("INNER", value), ("OUTER", "INNER + 1")) for value in ("1", "2"))
    assert len(differences(with_store("  o[0] = OUTER;"), Preprocessings(view(text, ours), view(text, theirs), view(text, theirs)))) == 1


def test_names_of_the_emulator_and_a_hash_are_differences_by_themselves() -> None:
    missing = NotPreprocessed("no nvcc", is_missing=True)
    for line, words in (("  o[0] = emu_lane_index();", "a name of the emulator's own"), ("  o[0] = f( # if 0 );", "holds a #")):
        text = with_store(line)
        (message,) = differences(text, Preprocessings(view(text), missing, missing))
        assert words in message


def test_a_file_that_is_called_otherwise_is_still_the_main_one() -> None:
    changed = ChangedLines(Text("/p/a.cu", A), Text("/p/b.cu", A))
    views = Preprocessings(view(A, file="/p/b.cu"), view(A, left_out=(3,), file="/p/b.cu"), view(A, file="/p/b.cu"))
    before = Preprocessings(view(A), view(A, left_out=(3,)), view(A))
    assert new_differences(before, views, changed) == ()
    assert [found.line for found in new_differences(all_alike(A), views, changed)] == [3]


def test_lines_of_a_branch_for_another_device_are_idle() -> None:
    text = with_store("#if __CUDA_ARCH__ >= 1000\n  o[0] = 2;\n#endif\n  o[0] = 1;")
    changed = ChangedLines(Text("/p/a.cu", A), Text("/p/a.cu", text))
    gone = (3, 4, 5)
    views = Preprocessings(view(text, left_out=gone), view(text, left_out=gone), view(text, left_out=gone))
    assert idle_lines(views, changed) == (4,)
    assert idle_lines(all_alike(text), changed) == ()


def test_device_code_is_what_is_compiled_with_every_line_in_its_place() -> None:
    assert device_text(all_alike(A), Text("/p/a.cu", A)).rstrip().split("\n") == ["__global__ void k(float *o)", "{", "o[0] = 1;", "}"]
