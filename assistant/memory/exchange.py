"""Experience without source, paths, names of kernels or reasons, for another memory; and another's, read as untrusted.

Of an import nothing is taken but numbers within bounds and words that are known: a hostile line is left out, or says nothing. Example::

    lines = tuple(learned_lines(rows))
    read_import(lines, now_ms).rows
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Iterable, Iterator
from typing import Any

from assistant.cuda.family import FAMILIES
from assistant.memory.experience import LARGEST_LOG_RATIO
from assistant.memory.experience_rows import Known
from assistant.memory.records import canonical
from assistant.model.experience import (
    UNKNOWN,
    DeviceTraits,
    Experience,
    KernelTraits,
    Origin,
    Result,
    State,
    TechniqueUse,
)
from assistant.model.profile import Signature
from assistant.profile import DIMENSIONS
from assistant.record import Record

__all__ = ["Import", "experience_of_import", "learned_lines", "read_import"]

_MOST_ROWS = 20_000
_MOST_OF_TECHNIQUE = 500
_MOST_CHARACTERS = 20_000
"""Of a line: one of ours has under a thousand."""
_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+){0,5}")
_NAME_CHARACTERS = 48
_LABELS = ("dram", "l2", "l1", "shared", "issue", "fp32", "fp64", "conversion", "special", "latency")
_ELEMENTS = (
    *("double", "float", "__half", "half", "__nv_bfloat16", "__nv_fp8_e4m3", "__nv_fp8_e5m2", "double2", "float2", "float3", "float4"),
    *("__half2", "half2", "__nv_bfloat162", "int", "int2", "int4", "uint2", "uint4", "char4", "uchar4", "bool", "char", "short", "long"),
    *("unsigned", "unsigned int", "unsigned char", "unsigned short", "long long", "unsigned long long", "size_t", "int8_t", "uint8_t"),
    *("int16_t", "uint16_t", "int32_t", "uint32_t", "int64_t", "uint64_t"),
)
"""Any other name is a word of the file's author."""
_PARAMETER = re.compile(r"[A-Z][A-Z0-9_]{0,15}")
"""Names of numbers as our rules write them (``TILE``)."""
_ARCHITECTURE = re.compile(r"sm_[0-9]{2,3}[a-z]?")
_PREDICTED = re.compile(r"cpu, predicted for [a-z0-9_]{1,16}")
_GPU_WORD = r"[A-Z0-9-]*\d[A-Za-z0-9-]*|GeForce|RTX|GTX|Tesla|Quadro|Ada|Generation|Laptop|GPU|Ti|SUPER|PCIe|SXM|NVL|HBM3"
_GPU = re.compile(rf"NVIDIA( ({_GPU_WORD})){{1,6}}")
_SCALE = re.compile(r"blocks|threads per block|threads")
_LARGEST_COUNT = 1 << 48
_LARGEST_VARIANCE = 25.0
_SMALLEST_VARIANCE = 1e-4
"""No measurement of a stranger's is taken to be more exact than a percent."""


class Import(Record):
    """What of a file is taken."""

    id: str
    """Of its contents: the same file is the same import."""
    imported_ms: int
    rows: tuple[dict[str, Any], ...]
    """As ``learned_lines`` writes them, cleaned."""
    left_out_count: int
    """Lines that are no experience, cannot be read, or are too many."""

    @property
    def record(self) -> str:
        return canonical({"id": self.id, "imported_ms": self.imported_ms, "rows": list(self.rows)})


def learned_lines(rows: Iterable[Known]) -> Iterator[str]:
    """One JSON object a row; what was imported is not passed on."""
    for row in rows:
        if row.origin == Origin.IMPORT:
            continue
        detail = json.loads(row.detail)
        signature = [[name, round(value, 4)] for name, value in zip(DIMENSIONS, row.vector, strict=True) if not math.isnan(value)]
        yield canonical(
            {
                "record": "experience",
                "technique": row.technique,
                "label": row.label,
                "family": row.family,
                "element": row.element,
                "device": row.device,
                "architecture": row.architecture,
                "kernel": row.kernel_id,
                "same": row.same,
                "is_right": row.is_right,
                "log_ratio": row.log_ratio,
                "variance": row.variance,
                "is_measured": row.is_measured,
                "created_ms": row.created_ms,
                "signature": signature,
                "scale": detail["scale"],
                "parameters": detail["parameters"],
                "after": detail["after"],
            }
        )


def read_import(lines: Iterable[str], now_ms: int) -> Import:
    """Every line that can be taken."""
    rows: list[dict[str, Any]] = []
    left_out = 0
    counts: dict[str, int] = {}
    for line in lines:
        row = _cleaned(line, now_ms) if line.strip() else None
        if row is None or len(rows) >= _MOST_ROWS or counts.get(row["technique"], 0) >= _MOST_OF_TECHNIQUE:
            left_out += bool(line.strip())
            continue
        counts[row["technique"]] = counts.get(row["technique"], 0) + 1
        rows.append(row)
    digest = hashlib.sha256(canonical(rows).encode()).hexdigest()[:16].upper()
    return Import(f"I{digest}", now_ms, tuple(rows), left_out)


def experience_of_import(import_id: str, number: int, row: dict[str, Any]) -> Experience:
    """A cleaned row; kernels of an import are never those of this memory."""
    digest = hashlib.sha256(f"{import_id}\0{row['kernel']}".encode()).hexdigest()[:16]
    return Experience(
        id=f"{import_id}/{number}",
        origin=Origin.IMPORT,
        state=State(
            Signature(row["label"], tuple((name, value) for name, value in row["signature"])),
            KernelTraits(row["family"], row["element"], tuple((name, count) for name, count in row["scale"])),
            DeviceTraits(row["device"], row["architecture"], not row["device"].startswith("cpu, ")),
        ),
        use=TechniqueUse(row["technique"], tuple((n, v) for n, v in row["parameters"]), tuple(row["after"])),
        result=Result(
            is_right=None if row["is_right"] is None else bool(row["is_right"]),
            log_ratio=row["log_ratio"],
            variance=row["variance"],
            is_measured=bool(row["is_measured"]),
        ),
        workspace=None,
        kernel="",
        kernel_id=digest,
        same=f"{digest}{row['same']}"[:32],
        created_ms=row["created_ms"],
    )


def _cleaned(line: str, now_ms: int) -> dict[str, Any] | None:
    """A row with nothing in it but numbers within bounds and known words; None where it cannot be one."""
    if len(line) > _MOST_CHARACTERS:
        return None
    try:
        data = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(data, dict) or data.get("record") != "experience":  # pyright: ignore[reportUnknownMemberType]  # JSON
        return None
    found: dict[str, Any] = data  # pyright: ignore[reportUnknownVariableType]  # JSON
    technique = _word(found.get("technique"), _NAME, _NAME_CHARACTERS)
    signature = _signature(found.get("signature"))
    if technique is None or signature is None or found.get("label") not in _LABELS:
        return None
    log_ratio, variance = _number(found.get("log_ratio"), LARGEST_LOG_RATIO), _number(found.get("variance"), _LARGEST_VARIANCE)
    is_right = found.get("is_right")
    device = _word(found.get("device"), _PREDICTED, 40) or _word(found.get("device"), _GPU, 64) or "another GPU"
    is_timed = log_ratio is not None and variance is not None and is_right == 1
    return {
        "technique": technique,
        "label": found["label"],
        "family": found["family"] if found.get("family") in FAMILIES else UNKNOWN,
        "element": _element(found.get("element")),
        "device": device,
        "architecture": _word(found.get("architecture"), _ARCHITECTURE, 8) or "",
        "kernel": hashlib.sha256(str(found.get("kernel")).encode("utf-8", "surrogatepass")).hexdigest()[:16],
        "same": hashlib.sha256(str(found.get("same")).encode("utf-8", "surrogatepass")).hexdigest()[:16],
        "is_right": int(is_right) if is_right in (0, 1) else None,
        "log_ratio": log_ratio if is_timed else None,
        "variance": max(_SMALLEST_VARIANCE, abs(variance or 0.0)) if is_timed else None,
        "is_measured": int(is_timed and found.get("is_measured") == 1 and not device.startswith("cpu, ")),
        "created_ms": _moment(found.get("created_ms"), now_ms),
        "signature": signature,
        "scale": _counts(found.get("scale"), _SCALE),
        "parameters": _counts(found.get("parameters"), _PARAMETER),
        "after": _names(found.get("after")),
    }


def _word(value: object, pattern: re.Pattern[str], most: int) -> str | None:
    return value if isinstance(value, str) and len(value) <= most and pattern.fullmatch(value) else None


def _element(value: object) -> str:
    return value if isinstance(value, str) and value in _ELEMENTS else UNKNOWN


def _number(value: object, most: float) -> float | None:
    """Within -most..most; what is larger counts as that, what is no finite number as None. An int may be too large for a float."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return float(max(-most, min(most, value))) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _moment(value: object, now_ms: int) -> int:
    """The future is today; what is no time is long ago."""
    return max(0, min(now_ms, value)) if isinstance(value, int) and not isinstance(value, bool) else 0


def _signature(value: object) -> list[list[Any]] | None:
    pairs = _pairs(value)
    found = {name: _number(number, 1.0) for name, number in pairs if name in DIMENSIONS}
    known = [[name, max(0.0, number)] for name, number in found.items() if number is not None]
    return known or None


def _counts(value: object, known: re.Pattern[str]) -> list[list[Any]]:
    return [
        [name, number]
        for name, number in _pairs(value)[:8]
        if known.fullmatch(name) and isinstance(number, int) and not isinstance(number, bool) and abs(number) <= _LARGEST_COUNT
    ]


def _names(value: object) -> list[str]:
    items: list[object] = value if isinstance(value, list) else []  # pyright: ignore[reportUnknownVariableType]  # JSON
    return [name for item in items[:8] if (name := _word(item, _NAME, _NAME_CHARACTERS)) is not None]


def _pairs(value: object) -> list[tuple[str, object]]:
    items: list[object] = value if isinstance(value, list) else []  # pyright: ignore[reportUnknownVariableType]  # JSON
    found: list[tuple[str, object]] = []
    for item in items[:32]:
        if isinstance(item, list) and len(item) == 2 and isinstance(item[0], str):  # pyright: ignore[reportUnknownArgumentType]  # JSON
            found.append((item[0], item[1]))  # pyright: ignore[reportUnknownArgumentType]  # JSON
    return found
