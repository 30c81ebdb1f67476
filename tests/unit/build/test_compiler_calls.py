"""What one command line of a compiler, archiver or linker makes of what."""

from __future__ import annotations

import pytest

from assistant.build.compiler_calls import Action, CompilerCall, nvcc_words, read_call


def _read(line: str) -> CompilerCall:
    tool, *words = line.split()
    return read_call(tool, tuple(words), "/p")


@pytest.mark.parametrize(
    ("line", "action"),
    [
        ("nvcc -c a.cu -o a.o", Action.COMPILE),
        ("nvcc -rdc=true -c a.cu", Action.COMPILE),
        ("nvcc -dc -o a.o a.cu", Action.COMPILE),
        ("nvcc a.cu b.cu -o app", Action.LINK),
        ("nvcc -o app a.o -lcudart", Action.LINK),
        ("nvcc --shared -Xcompiler -fPIC a.cu -o liba.so", Action.SHARED),
        ("nvcc -dlink -o d.o a.o", Action.DEVICE_LINK),
        ("nvcc -lib -o liba.a a.o", Action.ARCHIVE),
        ("nvcc -lineinfo -c a.cu", Action.COMPILE),
        ("nvcc -ptx a.cu", Action.OTHER),
        ("nvcc -M a.cu", Action.OTHER),
        ("nvcc --version", Action.OTHER),
        ("nvcc --dryrun a.cu -o a", Action.OTHER),
        ("nvcc -E a.cu", Action.OTHER),
        ("g++-12 -Wall -MMD -MF a.d -c a.cpp -o a.o", Action.COMPILE),
        ("g++ -v a.o -o app", Action.LINK),
        ("g++ -v", Action.OTHER),
        ("gcc -print-file-name=libc.so", Action.OTHER),
        ("g++ -r -nostdlib -o all.o a.o b.o", Action.PARTIAL),
        ("ld -r -o all.o a.o b.o", Action.PARTIAL),
        ("g++ -", Action.OTHER),
        ("ar rcs liba.a a.o", Action.ARCHIVE),
        ("ar t liba.a", Action.OTHER),
        ("ar x liba.a a.o", Action.OTHER),
        ("ar", Action.OTHER),
        ("x86_64-linux-gnu-ar qc liba.a a.o", Action.ARCHIVE),
    ],
)
def test_what_a_call_leaves(line: str, action: Action) -> None:
    assert _read(line).action is action


@pytest.mark.parametrize(
    ("line", "made"),
    [
        ("nvcc -c src/a.cu -o obj/a.o", [("/p/src/a.cu", "/p/obj/a.o")]),
        ("nvcc -c src/a.cu", [("/p/src/a.cu", "/p/a.o")]),
        ("nvcc -dc -odir obj src/a.cu ../b.cu", [("/p/src/a.cu", "/p/obj/a.o"), ("/b.cu", "/p/obj/b.o")]),
        ("nvcc -x cu -c kernels.inl --output-file=k.o", [("/p/kernels.inl", "/p/k.o")]),
        ("g++ -oapp.o -c main.cpp", [("/p/main.cpp", "/p/app.o")]),
        ("nvcc -o app main.cu sums.o", [("/p/main.cu", None)]),
        ("nvcc -ftz true -arch sm_80 -c a.cu", [("/p/a.cu", "/p/a.o")]),
        ("nvcc -Xcompiler -Wall,-c -o app a.cu", [("/p/a.cu", None)]),
    ],
)
def test_which_sources_and_objects(line: str, made: list[tuple[str, str | None]]) -> None:
    assert [(unit.source, unit.object) for unit in _read(line).units] == made


@pytest.mark.parametrize(
    ("line", "inputs", "output"),
    [
        ("g++ -o bin/app a.o -Llib -lvec -lm", ("/p/a.o", "-L/p/lib", "-lvec", "-lm"), "/p/bin/app"),
        ("g++ a.o -L lib -l vec", ("/p/a.o", "-L/p/lib", "-lvec"), "/p/a.out"),
        ("nvcc a.o -lcublas,cufft --library z", ("/p/a.o", "-lcublas", "-lcufft", "-lz"), "/p/a.out"),
        ("g++ a.o /opt/z/libz.a libq.so.3 -Wl,-rpath,/opt/z", ("/p/a.o", "/opt/z/libz.a", "/p/libq.so.3"), "/p/a.out"),
        ("ar rbs a.o liba.a b.o c.o", ("/p/b.o", "/p/c.o"), "/p/liba.a"),
        ("ar -rc --thin liba.a b.o", ("/p/b.o",), "/p/liba.a"),
        ("nvcc -dlink a.o liba.a", ("/p/a.o", "/p/liba.a"), "/p/a_dlink.o"),
    ],
)
def test_what_is_linked_in_order(line: str, inputs: tuple[str, ...], output: str) -> None:
    call = _read(line)
    assert (call.inputs, call.output) == (inputs, output)


def test_values_stay_with_their_flags() -> None:
    flags = _read("nvcc -I inc -Xcompiler -Wall -rdc true -DN=4 -o a.o -c a.cu").flags
    assert flags == ("-I", "inc", "-Xcompiler=-Wall", "-rdc=true", "-DN=4", "-o", "a.o", "-c")
    assert _read("g++ -iquote inc -c a.cpp").flags == ("-I", "inc", "-c")


def test_the_variables_of_nvcc_stand_before_and_behind() -> None:
    assert nvcc_words(("-c", "a.cu"), "-O2 -G", "-DN=1") == ("-O2", "-G", "-c", "a.cu", "-DN=1")


def test_the_file_for_make_is_found() -> None:
    assert _read("nvcc -MD -MF out/a.d -c a.cu -o a.o").dependencies == "/p/out/a.d"
