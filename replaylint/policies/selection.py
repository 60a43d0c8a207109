"""Which rules' findings are reported."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from replaylint.policies.names import chosen
from replaylint.rules import all_rules

if TYPE_CHECKING:
    from collections.abc import Collection

    from replaylint.policies.options import LinterOptions
    from replaylint.policies.policy import Draft
    from replaylint.report.model import Finding


class Selection(NamedTuple):
    """The rules that are selected, by code."""

    codes: Collection[str]

    def revise(self, finding: Finding) -> bool:
        """Whether its rule is selected."""
        return finding.rule in self.codes

    def apply(self, draft: Draft) -> None:
        """Leave out all other findings."""
        draft.codes = self.codes
        draft.revise(self.revise)


def parse(options: LinterOptions) -> Selection | None:
    """What `select` and `ignore` say. Raises UnknownNameError and TypeError."""
    select, ignore = options.get("select"), options.get("ignore")
    if select is None and ignore is None:
        return None
    rules = all_rules()
    codes = {rule.code for rule in rules} if select is None else chosen(select, rules)
    if ignore is not None:
        codes -= chosen(ignore, rules)
    return Selection(codes)
