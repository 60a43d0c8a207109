"""The connection that a resume or a finding belongs to."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from replaylint.report.model import Connection, Finding, Peer, Report, Resume, Trace


class Connections:
    """The connections of a report, by input and number."""

    def __init__(self, report: Report) -> None:
        self._known: dict[tuple[str, int | None], Connection] = {
            (path, each.connection): each
            for path, first in first_files(report.traces).items()
            for each in first.connections
        }
        self._only = {
            trace.path: trace.connections[0]
            for trace in report.traces
            if len({(name_of(each.agent), name_of(each.client)) for each in trace.connections}) == 1
        }

    def of(self, each: Resume | Finding) -> Connection | None:
        """Its connection. For a finding without one: any, if all connections of the recording have the same peers."""
        if each.connection is None:
            return self._only.get(each.trace or "")
        return self._known.get((each.trace or "", each.connection))


def first_files(traces: Iterable[Trace]) -> dict[str, Trace]:
    """For each input the first file of its recording: of several files, only the first has the connections."""
    found: dict[str, Trace] = {}
    first = None
    for trace in traces:
        if trace.connections or first is None:
            first = trace
        found[trace.path] = first if trace.messages else trace
    return found


def name_of(peer: Peer) -> str | None:
    """The name and version, as far as they are known."""
    if peer.name is None:
        return None
    return peer.name if peer.version is None else f"{peer.name} {peer.version}"
