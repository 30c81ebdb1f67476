"""PyTorch extensions as programs: what Python files build, which script runs it, with which flags."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

from assistant.disk.texts import source_text
from assistant.model.program import FoundProgram, ProgramOrigin, ProgramSearch
from assistant.program import find_extensions
from assistant.program.extensions import Extension, read_extensions
from tests.unit.program.conftest import Project

KERNEL = "__global__ void k(float* x) { x[0] = 1; }\n"
LOAD = "from torch.utils.cpp_extension import load\n"
SETUP = "from setuptools import setup\nfrom torch.utils.cpp_extension import BuildExtension, CUDAExtension\n"


def read(text: str, *files: str, tmp_path: Path, name: str = "setup.py") -> Extension:
    """The only extension of a Python file, in a folder with these sources."""
    for each in files:
        (tmp_path / each).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / each).write_text(KERNEL)
    (extension,) = read_extensions(tmp_path / name, textwrap.dedent(text), tmp_path).found
    return extension


def by_name(project: Project, file: str) -> dict[str, FoundProgram]:
    return {program.name: program for program in project.find(file).found}


def with_torch(project: Project) -> str:
    """A virtual environment with a PyTorch, as pip lays it out; the path of its package."""
    place = project.root / ".venv/lib/python3.12/site-packages/torch"
    project.put(".venv/pyvenv.cfg", "home = /usr/bin\n")
    project.put(f"{place}/include/torch/csrc/api/include/torch/all.h", "")
    project.put(f"{place}/version.py", "__version__ = '2.9.1+cu130'\ncuda: Optional[str] = '13.0'\n")
    project.put(f"{place}/utils/cpp_extension.py", "cflags = ['-std=c++17']\n")
    project.put(f"{place}/share/cmake/Torch/TorchConfig.cmake", 'set(TORCH_CXX_FLAGS "-D_GLIBCXX_USE_CXX11_ABI=1")\n')
    return str(place)


def test_each_script_that_runs_an_extension_is_a_program(copied: Callable[[str], Project]) -> None:
    found = by_name(copied("torch_setup_and_load"), "csrc/kernels.cu")
    assert set(found) == {"bench_jit.py", "test_ops.py"}
    assert {program.origin for program in found.values()} == {ProgramOrigin.EXTENSION}
    assert found["test_ops.py"].origin_text == "PyTorch extension (setup.py)"
    assert found["bench_jit.py"].extension == "fused_ops_jit"


def test_what_setup_builds_is_built_before_the_script_runs(copied: Callable[[str], Project]) -> None:
    project = copied("torch_setup_and_load")
    found = by_name(project, "csrc/kernels.cu")["test_ops.py"]
    assert found.build_command is not None and found.build_command[1:] == ("setup.py", "build_ext", "--inplace", "--force")
    assert found.run_command is not None and found.run_command[1:] == ("test_ops.py",)
    assert [unit.name for unit in found.units] == ["bindings.cpp", "kernels.cu"]
    assert [header.name for header in found.headers] == ["common.h"]
    assert {"--use_fast_math", "-DBLOCK=256", f"-I{project.root}/csrc"} <= set(found.flags)
    assert found.why == "setup.py builds fused_ops of csrc/bindings.cpp and csrc/kernels.cu; test_ops.py imports it"


def test_what_a_script_loads_it_builds_itself(copied: Callable[[str], Project]) -> None:
    found = by_name(copied("torch_setup_and_load"), "csrc/common.h")["bench_jit.py"]
    assert found.build_command is None
    assert found.run_command is not None and found.run_command[1:] == ("bench_jit.py",)
    assert "-DBLOCK=256" not in found.flags


@pytest.mark.parametrize("asked", ["swish.py", "swish.py.swish_fwd.cu"])
def test_a_text_in_python_is_a_program_that_its_script_runs(copied: Callable[[str], Project], asked: str) -> None:
    project = copied("torch_inline")
    (found,) = project.find(asked).found
    assert (found.origin, found.extension, found.name) == (ProgramOrigin.EXTENSION, "swish_ext", "swish.py")
    assert found.units == (project.root / "swish.py.swish_fwd.cu",)
    assert found.run_command is not None and (found.run_command[1:], found.build_command) == (("swish.py",), None)
    assert found.why == "swish.py loads swish_ext of its text from line 5 on; swish.py runs it"


def test_flags_of_a_text_in_python_are_the_calls_own(project: Project) -> None:
    head = LOAD.replace("load", "load_inline")
    text = f"{head}load_inline('m', '', r'''{KERNEL}''', extra_cuda_cflags=['-DN=4'], extra_include_paths=['inc'])\n"
    project.put("run.py", text)
    flags = project.find("run.py.k.cu").found[0].flags
    assert "-DN=4" in flags and f"-I{project.root}/inc" in flags
    with_torch(project)
    assert "-include=torch/types.h" in project.find("run.py.k.cu").found[0].flags


def test_pytorchs_own_flags_come_from_its_files(project: Project) -> None:
    project.put("k.cu", KERNEL)
    project.put("run.py", f"{LOAD}m = load('ops', ['k.cu'])\nprint(m.f())\n")
    place = with_torch(project)
    found = project.one("k.cu")
    assert found.run_command == (f"{project.root}/.venv/bin/python", "run.py")
    for flag in (f"-isystem={place}/include", "-DTORCH_EXTENSION_NAME=ops", "-D_GLIBCXX_USE_CXX11_ABI=1", "-std=c++17"):
        assert flag in found.flags


def test_an_extensions_own_standard_counts(project: Project) -> None:
    project.put("k.cu", KERNEL)
    project.put("run.py", f"{LOAD}m = load('ops', ['k.cu'], extra_cuda_cflags=['-std=c++20'])\nprint(m.f())\n")
    with_torch(project)
    assert [flag for flag in project.one("k.cu").flags if flag.startswith("-std")] == ["-std=c++20"]


def test_an_extension_that_nothing_starts_says_what_to_write(project: Project) -> None:
    project.put("k.cu", KERNEL)
    project.put("setup.py", f"{SETUP}setup(ext_modules=[CUDAExtension('ops', ['k.cu'])], cmdclass={{'build_ext': BuildExtension}})\n")
    found = project.one("k.cu")
    assert found.run_command is None
    assert found.unclear == 'no script that runs it was found: write [program.ops] with run = "python …" into kernelopt.toml'


def test_a_table_of_its_name_says_what_starts_it(project: Project) -> None:
    project.put("k.cu", KERNEL)
    project.put("setup.py", f"{SETUP}setup(ext_modules=[CUDAExtension('ops', ['k.cu'])])\n")
    project.put("kernelopt.toml", '[program.ops]\nrun = "python drive.py 3"\nflags = "-DN=4"\n')
    found = project.one("k.cu")
    assert (found.name, found.origin) == ("ops", ProgramOrigin.EXTENSION)
    assert found.run_command == ("python", "drive.py", "3")
    assert "-DN=4" in found.flags


def test_a_table_gives_sources_that_are_computed(project: Project) -> None:
    project.put("k.cu", KERNEL)
    with_torch(project)
    project.put("setup.py", f"{SETUP}import finder\nsetup(ext_modules=[CUDAExtension('ops', finder.sources())])\n")
    search = project.find("k.cu")
    assert not search.found
    remedy = 'write [program.ops] with sources = […] and run = "python …" into kernelopt.toml'
    said = f"setup.py:4: the sources of CUDAExtension ops are computed (finder.sources()), which is not followed: {remedy}"
    assert said in search.looked_for
    project.put("kernelopt.toml", '[program.ops]\nsources = ["k.cu"]\nrun = "python drive.py"\n')
    found = project.find("k.cu")
    assert [program.origin for program in found.found] == [ProgramOrigin.EXTENSION]
    assert not found.problem


def test_a_table_without_sources_needs_an_extension(project: Project) -> None:
    project.put("k.cu", KERNEL)
    project.put("kernelopt.toml", '[program.ops]\nrun = "python drive.py 3"\n')
    assert "[program.ops] has no sources, and no PyTorch extension has its name" in project.find("k.cu").problem


def test_modules_that_only_define_are_not_started(project: Project) -> None:
    project.put("k.cu", KERNEL)
    project.put("setup.py", f"{SETUP}setup(ext_modules=[CUDAExtension('pkg._C', ['k.cu'])])\n")
    project.put("pkg/__init__.py", "from .ops import f\n")
    project.put("pkg/ops.py", "from . import _C\n\ndef f(x):\n    return _C.f(x)\n")
    project.put("tests/test_f.py", "import pkg\n\ndef test_f():\n    assert pkg.f(1)\n")
    found = project.one("k.cu")
    assert found.name == "tests/test_f.py"
    assert found.run_command is not None and found.run_command[:2] == ("env", "PYTHONPATH=.")
    assert found.run_command[3:] == ("-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/test_f.py")


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("m = load('o', ['a.cu', 'b.cu'])", ["a.cu", "b.cu"]),
        ("import os\nhere = os.path.dirname(os.path.abspath(__file__))\nm = load('o', sources=[os.path.join(here, 'a.cu')])", ["a.cu"]),
        (
            "from pathlib import Path\nd = Path(__file__).parent\nm = load('o', [str(p) for p in (d / 'cuda').glob('*.cu')])",
            ["cuda/c.cu"],
        ),
        ("import glob\nm = load(name='o', sources=glob.glob('*.cu') + ['cuda/c.cu'])", ["a.cu", "b.cu", "cuda/c.cu"]),
        ("names = 'a b'.split()\nm = load('o', [f'{n}.cu' for n in names])", ["a.cu", "b.cu"]),
        ("s = ['a.cu']\nif True:\n    s.append('b.cu')\ns += ['cuda/c.cu']\nm = load('o', s)", ["a.cu", "b.cu", "cuda/c.cu"]),
        ("def ops():\n    files = ['a.cu']\n    return load('o', files)", ["a.cu"]),
        ("class Net:\n    def __init__(self):\n        self.ops = load('o', ['b.cu'])", ["b.cu"]),
        ("kw = dict(name='o', sources=['a.cu'])\nm = load(**kw)", ["a.cu"]),
        ("def of(*names):\n    return [n + '.cu' for n in names]\nm = load('o', of('a', 'b'))", ["a.cu", "b.cu"]),
        ("import torch\nm = torch.utils.cpp_extension.load('o', ['%s.cu' % 'a'])", ["a.cu"]),
    ],
)
def test_sources_are_read_as_people_write_them(text: str, names: list[str], tmp_path: Path) -> None:
    extension = read(LOAD + text, "a.cu", "b.cu", "cuda/c.cu", tmp_path=tmp_path, name="run.py")
    assert [str(path.relative_to(tmp_path)) for path in extension.sources] == names
    assert not extension.problems


def test_environment_variables_count_as_not_set_and_that_is_said(tmp_path: Path) -> None:
    text = f"""
    {SETUP.splitlines()[1]}
    import os
    flags = ["-O3"]
    if os.getenv("DEBUG", "0") == "1":
        flags = ["-G"]
    flags += ["-DN=" + os.environ.get("N", "8")]
    CUDAExtension("o", ["a.cu"], extra_compile_args={{"nvcc": flags}})
    """
    extension = read(text, "a.cu", tmp_path=tmp_path)
    assert extension.flags == ("-O3", "-DN=8")
    assert extension.problems == ("setup.py is read as if DEBUG and N were not set",)


def test_what_depends_on_the_unknown_is_left_out_and_said(tmp_path: Path) -> None:
    text = f"""
    {SETUP.splitlines()[1]}
    import platform
    flags = ["-O3"]
    if platform.machine() == "x86_64":
        flags.append("-DX86")
    CUDAExtension("o", ["a.cu"], extra_compile_args={{"nvcc": flags}})
    """
    extension = read(text, "a.cu", tmp_path=tmp_path)
    assert extension.flags == ("-O3",)
    assert extension.problems == ("setup.py is read without what depends on line 5, platform.machine() == 'x86_64'",)


def test_flags_that_start_programs_are_left_out_and_said(tmp_path: Path) -> None:
    text = f"{SETUP}CUDAExtension('o', ['a.cu'], extra_compile_args={{'nvcc': ['-O2', '--run', '-DA=`id`']}})\n"
    extension = read(text, "a.cu", tmp_path=tmp_path)
    assert extension.flags == ("-O2",)
    assert "setup.py:3: flags of o are left out: --run and -DA=`id`" in extension.problems


@pytest.mark.parametrize("text", ["while True: pass\n", "def f(): f()\nf()\n", "x = [1] * 10**9\n", "def broken(:\n", "x = 'a' * 10**10\n"])
def test_hostile_python_is_read_in_a_moment(text: str, tmp_path: Path) -> None:
    assert not read_extensions(tmp_path / "setup.py", f"import torch.utils.cpp_extension\n{text}", tmp_path).found


def test_sources_that_a_function_collects_are_found(copied: Callable[[str], Project]) -> None:
    found = copied("torch_dispatch_ops").one("csrc/cuda/block_reduce.h")
    assert [unit.name for unit in found.units] == ["binding.cpp", "masked_add.cu", "seg_softmax.cu"]
    assert found.name == "test/check_all.py"
    assert {"-U__CUDA_NO_HALF_OPERATORS__", "--use_fast_math"} <= set(found.flags)


def test_a_header_of_kernels_is_part_of_what_globs_load(copied: Callable[[str], Project]) -> None:
    found = copied("torch_jit_headers").one("kernels/rms.cuh")
    assert (found.name, found.extension) == ("ops.py", "rope_rms")
    assert "-DHEAD_DIM=64" in found.flags


def _extensions_of(project: Project, name: str) -> ProgramSearch:
    return find_extensions(project.root / name, source_text, project.root, ())


def test_flags_that_the_environment_says_count_as_not_set(copied: Callable[[str], Project]) -> None:
    project = copied("torch_env_flags")
    assert "-DTILE=16" in project.find("src/winattn/csrc/win.cu").found[0].flags


@pytest.mark.parametrize("name", ["fastops.py", "examples/demo.py"])
def test_a_python_file_says_which_extension_it_builds_or_runs(copied: Callable[[str], Project], name: str) -> None:
    found = _extensions_of(copied("torch_glob_sources"), name).found
    assert {program.extension for program in found} == {"fastops_native"}


def test_a_python_file_without_extension_has_none(copied: Callable[[str], Project]) -> None:
    project = copied("torch_glob_sources")
    project.put("other.py", "print(1)\n")
    search = _extensions_of(project, "other.py")
    assert (search.found, search.looked_for) == ((), ())


def test_a_text_in_python_that_is_not_read_is_named_by_its_line(project: Project) -> None:
    load_inline = LOAD.replace("load", "load_inline")
    project.put("run.py", f"{load_inline}import sys\nload_inline('m', '', f'{{sys.argv[1]}}')\n")
    (told,) = _extensions_of(project, "run.py").looked_for
    assert told.startswith("run.py:3 gives load_inline a CUDA text that is not read ("), told


def test_a_source_that_needs_pytorch_is_an_extension_that_nothing_is_known_to_build(project: Project) -> None:
    project.put("csrc/cuda/knn.cu", f'#include "utils.cuh"\n{KERNEL}')
    project.put("csrc/cuda/utils.cuh", '#include "../extensions.h"\n')
    project.put("csrc/extensions.h", "#include <torch/torch.h>\n")
    found = project.one("csrc/cuda/knn.cu")
    assert (found.origin, found.extension, found.run_command) == (ProgramOrigin.EXTENSION, "knn", None)
    assert found.why == "knn.cu includes PyTorch's headers, and no Python file was found that builds it"
    assert [header.name for header in found.headers] == ["utils.cuh", "extensions.h"]
    assert "no script that runs it was found" in found.unclear
    assert found in find_extensions(project.root / "csrc/cuda/knn.cu", source_text, project.root, ()).found


@pytest.mark.parametrize("text", [KERNEL, "#include <torch/torch.h>\nint main_of(int);\n", f"// #include <torch/torch.h>\n{KERNEL}"])
def test_any_other_source_is_none(project: Project, text: str) -> None:
    project.put("k.cu", text)
    assert not project.find("k.cu").found
