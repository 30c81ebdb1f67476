"""Another process on the memory file: ``writer.py FILE attempts NAME COUNT`` or ``writer.py FILE decide NAME`` (attempt or decision on stdin).

Prints one line for each committed write.
"""

import sys
from dataclasses import replace
from pathlib import Path

from assistant import serialize
from assistant.memory import open_store
from assistant.model.attempt import Attempt
from assistant.model.proposal import AlreadyDecided, Decision, ProposalState

path, action, name = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
given = sys.stdin.read()
with open_store(path) as store:
    if action == "attempts":
        attempt = serialize.loads(Attempt, given)
        for index in range(int(sys.argv[4])):
            store.add_attempt(replace(attempt, id=f"C{name}{index:06}", text=f"{name} {index}\n" * 200))
            print(f"C{name}{index:06}", flush=True)
    else:
        decision = replace(serialize.loads(Decision, given), decided_by=name)
        result = store.decide(decision, frozenset({ProposalState.OPEN}))
        print(f"lost to {result.decision.decided_by}" if isinstance(result, AlreadyDecided) else "won", flush=True)
