"""Start kernelopt: ``python -m assistant`` or ``kernelopt``.

Cuts off what follows ``--`` (the user's program's own arguments) and hands the rest to the command line.
"""

from __future__ import annotations

import gc
import sys
import traceback
from typing import TYPE_CHECKING

from assistant.cli.loading import loading

if TYPE_CHECKING:
    from assistant.engine.pair_book import PairBook
    from assistant.ports import Store

__all__ = ["main"]


def main() -> int:
    """Run one command; its exit code."""
    with loading():
        from assistant.cli.app import build_app
        from assistant.cli.exit_codes import INTERNAL
        from assistant.cli.servers import Servers
        from assistant.errors import KernelOptError

    arguments, program_arguments = _split(sys.argv[1:])
    try:
        build_app(Servers(_lsp))(args=arguments, prog_name="kernelopt", obj=program_arguments, standalone_mode=True)
    except KernelOptError as error:
        with loading():
            from assistant.cli.jobs import fail

        return fail(error)
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 0
    except Exception:  # noqa: BLE001 - the last boundary: a defect of ours gets its own exit code
        traceback.print_exc()
        sys.stderr.write("internal error: this is a defect of kernelopt; please report it with the lines above\n")
        return INTERNAL
    return 0


def _lsp(port: int | None) -> int:
    gc.disable()  # what is loaded stays: looking through it costs a tenth of the start, and each keystroke afterwards
    with loading():
        from assistant.config import load_settings, memory_path
        from assistant.memory.store import open_store
        from lsp.server import serve  # no other command pays for it
    gc.freeze()
    gc.enable()
    return serve(lambda: open_store(memory_path(load_settings(None).settings)), _pair_book, port)


def _pair_book(store: Store, who: str) -> PairBook:
    """What few sessions need is loaded by the first that does."""
    from assistant.cli.techniques import own_catalogue
    from assistant.engine.pair_book import PairBook

    return PairBook(store, own_catalogue(), who)


def _split(arguments: list[str]) -> tuple[list[str], tuple[str, ...]]:
    """What stands before and after the first ``--``."""
    if "--" not in arguments:
        return arguments, ()
    cut = arguments.index("--")
    return arguments[:cut], tuple(arguments[cut + 1 :])


if __name__ == "__main__":
    sys.exit(main())
