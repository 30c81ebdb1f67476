"""What holds of every command with ``--json``: each event is as the schema says, and a job begins, ends and names itself."""

from __future__ import annotations

from assistant.engine.event_schema import event_schema
from tests.e2e.cli.harness import Ended
from tests.schema_check import violations

__all__ = ["SCHEMA", "check_events"]

SCHEMA = event_schema()


def check_events(ended: Ended) -> None:
    """The events of a command that had a job."""
    events = ended.events
    assert [violations(SCHEMA, event) for event in events if violations(SCHEMA, event)] == []
    assert (events[0]["event"], events[-1]["event"]) == ("job_started", "job_ended")
    assert {event["job"] for event in events} == {events[0]["job"]}
    assert {event["schema"] for event in events} == {1}
    assert events[-1]["exit_code"] == ended.code
    assert ended.err == ""
