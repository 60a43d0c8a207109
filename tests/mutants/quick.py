"""Most mutants are found out by a recording of a rule or of the shared corpus: all of these, without pytest.

    python -m tests.mutants.quick [CODE]

Those of the rule with this code come first.
"""

from __future__ import annotations

import sys

from tests import test_corpus, test_rules


def main(first: str) -> None:
    """Raise at the first recording whose report is not the expected one."""
    for path in sorted(test_rules.RECORDINGS, key=lambda path: (path.parent.name != first, path.name)):
        test_rules.test_a_recording(path)
    for scenario in test_corpus.scenarios("corpus", "traces/real"):
        if scenario != "none":
            test_corpus.test_a_scenario_holds(test_corpus.SHARED, scenario)


if __name__ == "__main__":
    main(sys.argv[1] if sys.argv[1:] else "")
