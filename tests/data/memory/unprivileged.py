"""An ordinary user's look at a memory file: ``unprivileged.py FILE`` (attempt on stdin), rights dropped first where there are any to drop.

Prints the number of attempts it could read, then why it could not add one.
"""

import os
import sys
from pathlib import Path

from assistant import serialize
from assistant.errors import MemoryFileError
from assistant.memory import open_store
from assistant.model.attempt import Attempt

NOBODY = 65534

attempt = serialize.loads(Attempt, sys.stdin.read())
if os.geteuid() == 0:
    os.setgroups([])
    os.setgid(NOBODY)
    os.setuid(NOBODY)
try:
    with open_store(Path(sys.argv[1])) as store:
        print(len(store.attempts()), flush=True)
        store.add_attempt(attempt)
except MemoryFileError as error:
    print(f"{error.message} | {error.remedy}", flush=True)
