"""How long the lab waits for a build."""

from assistant.emulator.toolchain import RUNTIME_TIMEOUT_S
from assistant.lab.cpu import BUILD_TIMEOUT_S
from assistant.worker.tools import COMPILE_TIMEOUT_S


def test_the_lab_waits_longer_than_the_compilers_of_a_first_build_may_take() -> None:
    assert BUILD_TIMEOUT_S > 2 * RUNTIME_TIMEOUT_S + COMPILE_TIMEOUT_S, "the runtime, then a prelude, then the program"
