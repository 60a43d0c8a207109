"""`replaylint extract`: the smallest recording that shows one resume as the whole one does."""

from __future__ import annotations

from typing import IO, Annotated

import typer

from replaylint.analysis.lint import lint
from replaylint.commands.files import NotWritten, check_output, written_whole
from replaylint.commands.inputs import is_read
from replaylint.commands.output import complain
from replaylint.commands.rereadable import rereadable
from replaylint.commands.usage import Help  # noqa: TC001  (typer looks at it)
from replaylint.errors import RecordingError
from replaylint.recording.source import Source
from replaylint.render.phrases import counted
from replaylint.views.extract import Moved, Scope, Selection, Survey, accuses, same


def extract(
    trace: Annotated[str, typer.Argument(metavar="TRACE", help="A recording; - is standard input.")],
    resume: Annotated[
        int, typer.Option("--resume", min=1, metavar="N", help="Its number, in the order of the report.")
    ],
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="FILE", help="Where to write it; - is standard output.")
    ],
    force: Annotated[bool, typer.Option("--force", help="Write through links and over read-only files, too.")] = False,
    usage: Help = False,  # noqa: ARG001
) -> int:
    """Write the smallest recording that shows one resume: outcome, timings and findings stay the same.

    It holds the lines that these depend on, as they were and in their order, uncompressed.

    Exit status: 0 written, 2 not written, or the recording could not be read to its end.
    """
    with rereadable(trace) as path:
        if is_read(output, [trace]):
            complain(f"{output}: is the recording itself; name another file")
            return 2
        check_output(output, force=force)
        survey = Survey(path)
        report = survey.report.traces[0]
        error = report.error
        if error is not None:
            at = f":{error.line}" if error.line is not None else ""
            complain(f"{trace}{at}: {error.message}")
        if resume > len(survey.report.resumes):
            if error is None:
                there = counted(len(survey.report.resumes), "resume")
                complain(f"{trace}: has {there}; there is no resume {resume}")
            return 2
        if not _write(path, Selection(survey, resume), survey, output, force=force):
            complain(f"{trace}: resume {resume} depends on more than can be cut out; nothing was written")
            return 2
    return 2 if error is not None else 0


def _write(path: str, selection: Selection, survey: Survey, output: str, *, force: bool) -> bool:
    """Write the smallest selection that shows the same; False where none does."""
    with written_whole(output, force=force) as (file, name):
        fallback: bytearray | None = None
        for scope in Scope:
            kept = selection.kept(scope)
            _copy(path, kept, file)
            report = lint([name])
            moved = Moved(kept)
            if not same(selection, moved, report):
                continue
            if not accuses(moved, report, survey.report):
                return True
            # It shows the same resume, but accuses other messages of what the whole recording does not.
            fallback = kept if fallback is None else fallback
        if fallback is None:
            raise NotWritten
        _copy(path, fallback, file)
        return True
    return False


def _copy(path: str, kept: bytearray, file: IO[bytes]) -> None:
    """Write these lines of the recording, and nothing else, into the file."""
    file.seek(0)
    file.truncate()
    with Source(path) as source:
        try:
            for number, line in enumerate(source.lines(), 1):
                if number >= len(kept):
                    break
                if kept[number]:
                    file.write(line)
        except RecordingError:
            pass  # the survey could read no further either
    file.flush()
