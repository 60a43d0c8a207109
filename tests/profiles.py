"""How many examples hypothesis tries. `pytest --hypothesis-profile NAME` takes another profile than `quick`.

quick     a quarter of what each test names: in every run
thorough  all of it: in `.ci/run`
search    ten times as much, and other ones each time: by hand

    python -m pytest -m hypothesis --hypothesis-profile search
"""

from __future__ import annotations

from hypothesis import HealthCheck, Phase, settings
from hypothesis.internal.conjecture import providers

# It would also try the constants of all modules that are imported so far: other examples in each order of the tests.
if hasattr(providers, "_get_local_constants"):
    providers._get_local_constants = lambda: providers._local_constants  # noqa: SLF001

PERCENT = {"quick": 25, "thorough": 100, "search": 1000}

for name, percent in PERCENT.items():
    settings.register_profile(
        name,
        max_examples=percent,
        derandomize=name != "search",
        database=None,
        deadline=None,
        phases=[Phase.explicit, Phase.generate, Phase.shrink],
        report_multiple_bugs=False,
        # A folder may serve all examples.
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.function_scoped_fixture],
    )
settings.load_profile("quick")


def profile(examples: int) -> settings:
    """The profile, with its part of so many examples."""
    current = settings()
    return settings(current, max_examples=-(-examples * current.max_examples // 100))
