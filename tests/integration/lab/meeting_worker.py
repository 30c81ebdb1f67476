"""A worker for tests: a request with a folder and a count is answered when so many requests are under way in processes of their own."""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path


def main() -> None:
    for line in sys.stdin:
        message = json.loads(line)
        folder = Path(message["folder"])
        folder.joinpath(str(os.getpid())).touch()
        while len(list(folder.iterdir())) < message["count"]:
            time.sleep(0.01)
        print(json.dumps({"pid": os.getpid(), "waits": message.get("waits", [])}), flush=True)


if __name__ == "__main__":
    main()
