"""The server extension inside a real Jupyter Server, on the memory that a real search left, over HTTP and a websocket."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from pytest_jupyter.jupyter_core import (  # noqa: F401 - fixtures; its hooks would take over every other asynchronous test
    echo_kernel_spec,
    jp_asyncio_loop,
    jp_config_dir,
    jp_data_dir,
    jp_env_config_path,
    jp_env_jupyter_path,
    jp_environ,
    jp_home_dir,
    jp_kernel_dir,
    jp_runtime_dir,
    jp_system_config_path,
    jp_system_jupyter_path,
)
from pytest_jupyter.jupyter_server import (  # noqa: F401
    jp_argv,
    jp_auth_header,
    jp_base_url,
    jp_configurable_serverapp,
    jp_fetch,
    jp_http_port,
    jp_logging_stream,
    jp_nbconvert_templates,
    jp_server_config,
    jp_serverapp,
    jp_template_dir,
    jp_web_app,
    jp_ws_fetch,
)
from pytest_jupyter.pytest_tornasync import http_server, http_server_client, http_server_port  # noqa: F401
from tornado.httpclient import HTTPClientError

from assistant.memory.store import open_store
from assistant.model.attempt import JobRow
from tests.e2e.conftest import Offered

API = ("kernelopt", "api", "v1")
_NOW = 1_700_000_000_000
WRONG: tuple[tuple[tuple[str, ...], dict[str, str], str | None, int, str], ...] = (
    (("history",), {"limit": "-1"}, None, 400, "limit is a count"),
    (("history",), {"path": "../secret.cu"}, None, 400, "not below the folder"),
    (("history",), {"workspace": "x" * 300}, None, 400, "cannot be looked at"),
    (("proposals",), {"state": "some"}, None, 400, "open or all"),
    (("reports",), {}, None, 400, "give the file as path"),
    (("proposals", "P", "reject"), {}, "{", 400, "not JSON"),
    (("proposals", "P", "reject"), {}, "[]", 400, "JSON object"),
    (("proposals", "P", "reject"), {}, '{"reason_code": "mood"}', 400, "readability"),
    (("proposals", "P", "accept"), {}, '{"hunk_ids": []}', 400, "accept takes no 'hunk_ids'"),
    (("jobs", "JX"), {}, "", 405, "Method Not Allowed"),
    (("jobs", "JX"), {}, None, 404, "no job 'JX' here"),
    (("proposals", "PX", "accept"), {}, "", 404, "no proposal 'PX' here"),
    (("reports",), {"path": "missing.cu"}, None, 404, "missing.cu"),
    (("reports",), {"path": "/"}, None, 404, "is no file"),
)
"""Path, parameters, body of a POST, status, words of the message."""


@pytest.fixture
def searched(freshly_offered: Offered, monkeypatch: pytest.MonkeyPatch) -> Offered:
    """What the server that is started next works on."""
    monkeypatch.setenv("KERNELOPT_HOME", str(freshly_offered.cli.home))
    return freshly_offered


@pytest.fixture
def jp_root_dir(searched: Offered) -> Path:
    return searched.source.parent


@pytest.fixture
def jp_server_config() -> dict[str, Any]:  # noqa: F811
    return {"ServerApp": {"jpserver_extensions": {"jupyter_ext": True}}}


@dataclass(frozen=True)
class Client:
    """Asks the server as a page does that knows the token."""

    run: Callable[[Any], Any]
    fetch: Callable[..., Any]

    def get(self, *parts: str, **parameters: object) -> Any:
        return json.loads(self.run(self.fetch(*API, *parts, params=parameters)).body)

    def post(self, *parts: str, body: str = "", **options: Any) -> Any:
        return json.loads(self.run(self.fetch(*API, *parts, method="POST", body=body, **options)).body)

    def refused(self, *parts: str, body: str | None = None, **options: Any) -> tuple[int, dict[str, Any]]:
        """Status and body of an answer that is an error."""
        sent = {} if body is None else {"method": "POST", "body": body}
        with pytest.raises(HTTPClientError) as raised:
            self.run(self.fetch(*API, *parts, **sent, **options))
        assert raised.value.response is not None
        told = raised.value.response.body
        return raised.value.code, json.loads(told) if told.startswith(b"{") else {}  # what is not below our prefix answers as a page


@pytest.fixture
def client(jp_asyncio_loop: Any, jp_fetch: Any, searched: Offered) -> Client:  # noqa: F811
    del searched
    return Client(jp_asyncio_loop.run_until_complete, jp_fetch)


def test_what_a_search_left_is_reported(client: Client, searched: Offered) -> None:
    assert searched.cli.run("profile", searched.source, "--json").code == 0
    assert client.get("status") == {"workspace": "", "folder": searched.source.parent.name, "read_only_reason": None}
    jobs = client.get("jobs")["jobs"]
    assert [(job["command"], job["file"], job["exit_code"], job["is_running"]) for job in jobs] == [
        ("profile", "transpose.cu", 0, False),
        ("optimize", "transpose.cu", 0, False),
    ]
    events = client.get("jobs", jobs[1]["id"])["events"]
    assert events[0]["event"] == "job_started" and events[-1]["event"] == "job_ended"
    assert client.get("jobs", jobs[1]["id"], start=len(events) - 1)["events"] == events[-1:]

    history = client.get("history", path="transpose.cu", limit=1)
    assert len(history["attempts"]) == 1 and history["attempts"][0]["file"] == "transpose.cu" and history["decisions"] == []
    (row,) = client.get("proposals")["proposals"]
    assert row["id"] == searched.id and row["speed_outcome"] == "PREDICTED" and row["is_file"]
    shown = client.get("proposals", searched.id[:12])
    assert shown["diff"].startswith("--- ") and shown["verification"]["outcome"] == "PASS" and shown["decisions"] == []
    known = client.get("memory")
    assert known["attempt_count"] >= 1 and known["page"]["states"][0]["techniques"][0]["right"] == "1 of 1"
    assert client.get("history")["attempts"][-1]["tried"].startswith("1 of ")

    report = client.get("reports", path="transpose.cu")
    assert report["nothing"] == "" and report["kernels"][0]["launches"][0]["findings"], "the profile of this very text"
    searched.source.write_text(searched.original + "\n", "utf-8")
    assert all(kernel["launches"] == [] for kernel in client.get("reports", path="transpose.cu")["kernels"]), "it was of another text"


def test_decisions_are_taken_once_and_shared_with_the_terminal(client: Client, searched: Offered) -> None:
    one = ("proposals", searched.id)
    assert client.post(*one, "accept")["kind"] == "accepted"
    assert searched.text != searched.original
    code, told = client.refused(*one, "reject", body="{}")
    assert code == 409 and told["code"] == "conflict" and "already accepted by jupyter" in told["message"]
    assert client.post(*one, "undo")["kind"] == "undone" and searched.text == searched.original
    ended = searched.cli.run("reject", searched.id, "--reason-code", "style")
    assert ended.code == 0, ended.said
    code, told = client.refused(*one, "accept", body="")
    assert code == 409 and "already rejected by cli" in told["message"]
    assert [decision["kind"] for decision in client.get("history")["decisions"]] == ["accepted", "undone", "rejected"]
    assert client.get("proposals")["proposals"] == [] and len(client.get("proposals", state="all")["proposals"]) == 1


def test_an_edit_of_a_file_that_moved_on_is_not_written(client: Client, searched: Offered) -> None:
    moved = "int added;\n" + searched.original
    searched.source.write_text(moved, "utf-8")
    code, told = client.refused("proposals", searched.id, "accept", body="")
    assert code == 409 and "judged again" in told["message"] and told["reason"] == f"kernelopt accept {searched.id}"
    assert searched.text == moved


def test_a_running_job_is_cancelled_once(client: Client, searched: Offered) -> None:
    with open_store(searched.cli.home / "memory.sqlite3") as store:
        store.start_job(JobRow("J9", "check", searched.source, searched.source.parent, "elsewhere cli 1", _NOW, _NOW, None, None, False))
        assert client.post("jobs", "J9", "cancel") == {"id": "J9", "is_cancel_requested": True}
        assert store.beat("J9", _NOW)
        store.end_job("J9", _NOW, 0)
    code, told = client.refused("jobs", "J9", "cancel", body="")
    assert code == 409 and told["message"] == "J9 has ended already"


def test_errors_say_what_is_wrong(client: Client) -> None:
    for parts, parameters, body, code, says in WRONG:
        status, told = client.refused(*parts, params=parameters, body=body)
        assert status == code and says in told["message"], (parts, told)


def test_no_request_is_answered_without_jupyters_leave(client: Client, searched: Offered, jp_serverapp: Any) -> None:  # noqa: F811
    for parts in (("history",), ("jobs",), ("memory",), ("events",)):
        status, _ = client.refused(*parts, headers={"Authorization": ""})
        assert status == 403, parts
    token = jp_serverapp.identity_provider.token
    login = client.run(client.fetch("api", "status", params={"token": token}, headers={"Authorization": ""}))
    cookies = "; ".join(cookie.partition(";")[0] for cookie in login.headers.get_list("Set-Cookie"))
    page = {"Authorization": "", "Cookie": cookies}
    status, told = client.refused("proposals", searched.id, "accept", body="", headers=page)
    assert status == 403 and "_xsrf" in told["message"], "a page of another site has the cookie, but not the token"
    assert searched.text == searched.original


def test_memory_that_cannot_be_used_is_503_and_the_server_lives(client: Client, searched: Offered) -> None:
    memory = searched.cli.home / "memory.sqlite3"
    memory.write_bytes(b"no database")
    for beside in memory.parent.glob(f"{memory.name}-*"):
        beside.unlink()  # SQLite's log, of which it would restore the whole
    status, told = client.refused("history")
    assert status == 503 and told["code"] == "memory_unusable" and "memory.sqlite3" in told["message"]
    memory.unlink()
    assert client.get("history") == {"attempts": [], "decisions": []}


def test_a_page_hears_what_this_and_other_processes_do(client: Client, jp_ws_fetch: Any, searched: Offered) -> None:  # noqa: F811
    async def listen() -> list[dict[str, Any]]:
        """What the page hears: two greetings, a job of another process, and a decision made here."""
        socket = await jp_ws_fetch(*API, "events")
        heard = [json.loads(await socket.read_message()) for _ in range(2)]
        with open_store(searched.cli.home / "memory.sqlite3") as store:
            row = JobRow(
                "J9",
                "optimize",
                searched.source,
                searched.source.parent,
                "elsewhere cli 1",
                _NOW,
                time.time_ns() // 1_000_000,
                None,
                None,
                False,
            )
            store.start_job(row)
            store.add_event("J9", '{"event": "stage_started"}')
            while not any(message["type"] == "event" for message in heard):
                heard.append(json.loads(await socket.read_message()))
        await client.fetch(*API, "proposals", searched.id, "reject", method="POST", body="")
        heard.append(json.loads(await socket.read_message()))
        socket.close()
        return heard

    hello, first, *later = client.run(listen())
    assert hello == {"type": "hello", "protocol": 1} and [job["command"] for job in first["jobs"]] == ["optimize"]
    assert later[-2] == {"type": "event", "job": "J9", "event": {"event": "stage_started"}}
    assert later[-1]["type"] == "changed"
