"""Fixtures and marks for all tests."""

import signal

import pytest

# scikit-learn's checks that together take half of the time of all tests.
SLOW = ("check_regressor_data_not_an_array", "check_regressors_train")


def pytest_collection_modifyitems(items):
    for item in items:
        if any(name in item.name for name in SLOW):
            item.add_marker(pytest.mark.slow)


@pytest.fixture(autouse=True, scope="session")
def interrupts():
    """Makes Ctrl-C raise KeyboardInterrupt. Without this, tests in the background of a shell ignore it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
