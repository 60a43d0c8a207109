"""The tests, and the modules that they share: `python -m pytest` explains a failed assertion in these, too."""

import pytest

pytest.register_assert_rewrite("tests.command_line", "tests.conversations")
