"""No test may reach beyond this machine: a connection elsewhere, or a name looked up, is an error that says so.

An audit hook cannot be taken off again, nor gone around by what a library imported before (``sys.addaudithook``; the events are listed in
the library reference under "Audit events table"). ``sitecustomize.py`` next to this file puts the ban into child processes whose
``PYTHONPATH`` names the folder.
"""

from __future__ import annotations

import ipaddress
import sys

__all__ = ["NetworkForbiddenError", "forbid"]

_BY_ADDRESS = frozenset({"socket.connect", "socket.sendto", "socket.sendmsg"})
_BY_NAME = frozenset({"socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr"})


class NetworkForbiddenError(RuntimeError):
    """A test tried to reach the network; not an OSError, so that nothing takes it for a bad connection and goes on."""


def forbid() -> None:
    """From now on, for the rest of the process."""
    sys.addaudithook(_refuse)


def _refuse(event: str, arguments: tuple[object, ...]) -> None:
    if event in _BY_ADDRESS:
        address = arguments[1]
        host = address[0] if isinstance(address, tuple) and address else None  # a path of a local socket is none
    elif event in _BY_NAME:
        host = arguments[0]
    else:
        return
    if host is not None and not _is_here(host):
        raise NetworkForbiddenError(f"tests must not reach the network: {event} {host!r}")


def _is_here(host: object) -> bool:
    name = host.decode("ascii", "replace") if isinstance(host, bytes) else str(host)
    if name in ("", "localhost", "0.0.0.0", "::"):
        return True
    try:
        return ipaddress.ip_address(name.partition("%")[0]).is_loopback
    except ValueError:
        return False
