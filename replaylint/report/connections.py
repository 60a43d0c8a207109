"""Which connection a resume or a finding belongs to."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from replaylint.report.model import Connection, Finding, Peer, Report, Resume


class Connections:
    """The connections of a report, by input and number."""

    def __init__(self, report: Report) -> None:
        self._known: dict[tuple[str, int | None], Connection] = {}
        here: list[Connection] = []
        for trace in report.traces:
            # One without any may be the further part of a recording: the first says what connections all parts have.
            here = trace.connections or here
            self._known |= {(trace.path, each.connection): each for each in here}
        self._only = {
            trace.path: trace.connections[0]
            for trace in report.traces
            if len({(name_of(each.agent), name_of(each.client)) for each in trace.connections}) == 1
        }

    def of(self, each: Resume | Finding) -> Connection | None:
        """Its connection; for a finding that names none, one like it where they are all alike."""
        if each.connection is None:
            return self._only.get(each.trace or "")
        return self._known.get((each.trace or "", each.connection))


def name_of(peer: Peer) -> str | None:
    """Its name and version, as far as they are known."""
    if peer.name is None:
        return None
    return peer.name if peer.version is None else f"{peer.name} {peer.version}"
