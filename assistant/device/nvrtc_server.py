"""The process in which NVRTC compiles: one JSON object a line each way, until the input ends.

NVRTC is a library, which reads what a source includes in the process that calls it. Each request is compiled on a thread of its own that
can read only the files that the request names; the process keeps NVRTC loaded. It is started limited (``nvrtc_process``). Example::

    {"path": "/p/k.cu", "text": "…", "options": ["--gpu-architecture=sm_90"], "expressions": [], "with_ptx": false, "access": {…}}
    → {"cubin": "f0VMRg…", "ptx": "", "log": ""}; null where NVRTC cannot be loaded
"""

from __future__ import annotations

import json
import os
import sys
import threading

from assistant.device.nvrtc import NvrtcOutput, compile_device_text
from assistant.record import Record
from assistant.serialize import encode, loads
from assistant.worker.landlock import FileAccess, landlock_abi, open_ruleset, restrict

__all__ = ["NvrtcRequest"]

_OWN_SOURCE = "__global__ void kernelopt_warm_up() {}\n"


class NvrtcRequest(Record):
    """What `compile_device_text` takes, and which files it may read meanwhile."""

    path: str
    text: str
    options: tuple[str, ...]
    expressions: tuple[str, ...]
    with_ptx: bool
    access: FileAccess


def main() -> int:
    """Serve until the input ends; 0."""
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what the library prints is no answer
    compile_device_text("own.cu", _OWN_SOURCE, (), (), with_ptx=False)  # loads all that compiling takes, before any limit
    for line in sys.stdin:
        replies.write(json.dumps(encode(_compiled(loads(NvrtcRequest, line)))) + "\n")
        replies.flush()
    return 0


def _compiled(request: NvrtcRequest) -> NvrtcOutput | None:
    """On a thread that is limited for good, so that the next request's can have other limits."""
    outputs: list[NvrtcOutput | None] = []

    def compile_limited() -> None:
        abi = landlock_abi()
        if abi is not None:
            with open_ruleset(abi, request.access) as ruleset:
                restrict(ruleset)
        outputs.append(compile_device_text(request.path, request.text, request.options, request.expressions, with_ptx=request.with_ptx))

    thread = threading.Thread(target=compile_limited)
    thread.start()
    thread.join()
    return outputs[0] if outputs else None


if __name__ == "__main__":
    sys.exit(main())
