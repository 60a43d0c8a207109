"""A session has another outcome than the user expects.

`--expect complete` says how every session of every replaying request has to end; of several outcomes, any will do.
Who expects an outcome expects a resume: a recording without one is a finding too, and then the recording is at fault.
Without `--expect` this rule is silent.

Source: the user; what the outcomes mean is in the RFD's section "Outcomes".

Fix: see what the outcome means and which findings stand beside this one; if the outcome is right, expect it.
"""

from __future__ import annotations

from replaylint.rules.registry import Rule

# Only a finished report can be held against what the user expects of it: report.expectations does that.
RULE = Rule("RL406", "unexpected-outcome", party="agent", says="{found}; expected was {expected}")
