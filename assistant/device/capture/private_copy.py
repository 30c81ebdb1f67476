"""The texts of an edited program in the private copy of its folder, where what builds and runs it finds them.

Example::

    put_texts(request, Path("/tmp/copy"), request.sources)      # /w/ops/k.cu of the request becomes /tmp/copy/ops/k.cu
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from assistant.cuda.embedded.in_python import python_file, with_text
from assistant.device.capture.protocol import CaptureFailed, CaptureRequest

__all__ = ["files_of", "put_texts"]


def put_texts(request: CaptureRequest, copy: Path, sources: tuple[tuple[str, str], ...]) -> None:
    """Texts in the private copy, where the build finds them. Raises CaptureFailed for one outside it."""
    for path, text in sources:
        if not Path(path).is_relative_to(request.cwd):
            message = f"{path} is outside {request.cwd}, of which the edited program gets a private copy"
            raise CaptureFailed("unsupported", message, "run from a folder that holds the sources")
        place = copy / Path(path).relative_to(request.cwd)
        if not place.parent.resolve().is_relative_to(copy.resolve()):
            message = f"{path} lies behind a link, which the private copy of {request.cwd} only points to"
            raise CaptureFailed("unsupported", message, "name the source by its real path, and run from a folder that holds it")
        place, text = _of_file(place, text)
        place.unlink(missing_ok=True)
        place.write_text(text, "utf-8", errors="surrogateescape")


def files_of(request: CaptureRequest) -> Iterator[Path]:
    """The files on the disk that hold the sources."""
    for path in (Path(path) for path, _ in request.sources):
        file = None if path.exists() else python_file(path)
        yield path if file is None else file


def _of_file(place: Path, text: str) -> tuple[Path, str]:
    """Of a CUDA text inside a Python file that file, with the text in its string. Raises CaptureFailed where it cannot hold it."""
    file = python_file(place)
    if file is None or place.exists() or not file.is_file():
        return place, text
    match with_text(place, file.read_text("utf-8", "surrogateescape"), text):
        case str(edited):
            return file, edited
        case problem:
            why = "it is not there" if problem is None else problem.reason
            raise CaptureFailed("unsupported", f"the text {place.name} cannot be written into {file.name}: {why}", "edit it by hand")
