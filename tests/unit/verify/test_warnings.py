"""No arithmetic warning of NumPy reaches the screen, whatever stands in the buffers."""

from __future__ import annotations

import numpy as np
import pytest

from assistant.model.elements import parse_element_type
from assistant.model.verification import Outcome
from assistant.model.workload import AutoTolerance, CaseOrigin, FixedTolerance, Tolerance
from assistant.verify.evidence import BufferFacts, CaseEvidence, JudgeEvidence, Reference, SideRun
from assistant.verify.judge import judge
from assistant.verify.numbers import floats, rms, shown
from assistant.verify.program import compare_programs
from assistant.verify.tolerance import errors_of, one_ulp
from assistant.verify.transfers import HostData, ProgramTrace

pytestmark = pytest.mark.filterwarnings("error")

SIGNALLING = {
    "half": np.tile(np.array([0x7C01, 0xFC01, 0x3C00], "<u2"), 40).tobytes(),
    "bfloat16": np.tile(np.array([0x7F81, 0xFF81, 0x3F80], "<u2"), 40).tobytes(),
    "float": np.tile(np.array([0x7F800001, 0xFF800001, 0x3F800000], "<u4"), 40).tobytes(),
    "double": np.tile(np.array([0x7FF0000000000001, 0xFFF0000000000001, 0x3FF0000000000000], "<u8"), 40).tobytes(),
}
HUGE = np.tile([1.7e308, -1.7e308, 1e-308, 0.0, 5e-324], 40)
ODD = np.tile([np.nan, np.inf, -np.inf, 1.0, 1.7e308], 40)
TOLERANCES = [AutoTolerance(), FixedTolerance(rtol=1e300, atol=1e308)]


def verdict(element: str, original: bytes, candidate: bytes, tolerance: Tolerance) -> Outcome | None:
    """What the judge says of one buffer that goes from zeros to ``original``, or None where it cannot judge."""
    buffers = (BufferFacts(0, "out", element, bytes(len(original))), BufferFacts(1, "in", element, original[::-1]))
    runs = [SideRun(((0, after), (1, original[::-1])), fill=0xAB) for after in (original, candidate)]
    reference = ((0, np.nan_to_num(np.frombuffer(original, "<f8")).tobytes()),) if element == "double" else ()
    case = CaseEvidence(
        CaseOrigin("recorded", "n=1", 1, 1.0, 1.0), "k", buffers, (runs[0],), (runs[1],), reference, Reference.DECLARED, (runs[1],)
    )
    result = judge(JudgeEvidence((case,), tolerance))
    return getattr(result, "outcome", None)


@pytest.mark.parametrize("element", SIGNALLING)
def test_signalling_nans_are_read_quietly(element: str) -> None:
    data, kind = SIGNALLING[element], parse_element_type(element)
    assert kind is not None
    assert list(np.isnan(floats(data, kind)[:3])) == [True, True, False]
    assert (shown(data, kind, 0), shown(data, kind, 2)) == ("nan", "1")
    assert len(one_ulp(data, kind, 1)) == len(data)


@pytest.mark.parametrize("tolerance", TOLERANCES)
@pytest.mark.parametrize("element", SIGNALLING)
def test_signalling_nans_are_judged_quietly(element: str, tolerance: Tolerance) -> None:
    size = len(SIGNALLING[element])
    assert verdict(element, SIGNALLING[element], bytes(size), tolerance) is not Outcome.PASS


@pytest.mark.parametrize("tolerance", TOLERANCES)
@pytest.mark.parametrize("values", [HUGE, ODD])
def test_numbers_at_the_ends_of_the_range_are_judged_quietly(values: np.ndarray, tolerance: Tolerance) -> None:
    verdict("double", values.tobytes(), (-values).tobytes(), tolerance)
    verdict("double", values.tobytes(), np.roll(values, 1).tobytes(), tolerance)


def test_a_deviation_beyond_the_range_is_infinite() -> None:
    assert errors_of(HUGE, -HUGE).max == np.inf and rms(HUGE) == pytest.approx(1.7e308 * np.sqrt(0.4))


@pytest.mark.parametrize("tolerance", TOLERANCES)
@pytest.mark.parametrize(("element", "data"), [*SIGNALLING.items(), ("double", HUGE.tobytes()), ("double", ODD.tobytes())])
def test_a_programs_data_are_compared_quietly(element: str, data: bytes, tolerance: Tolerance) -> None:
    def trace(transfer: bytes) -> ProgramTrace:
        return ProgramTrace(0, b"1\n", (HostData("memcpy", transfer, element, "memcpy"),))

    size = parse_element_type(element).scalar_bytes  # type: ignore[union-attr]
    compare_programs(trace(data), trace(data), trace(data[size:] + data[:size]), tolerance)
    compare_programs(trace(data), trace(data[size:] + data[:size]), trace(bytes(len(data))), tolerance)
