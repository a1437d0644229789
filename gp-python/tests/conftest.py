"""What all tests share."""

import signal

import pytest

# Checks of scikit-learn that take half of the time of all tests together.
SLOW = ("check_regressor_data_not_an_array", "check_regressors_train")


def pytest_collection_modifyitems(items):
    for item in items:
        if any(name in item.name for name in SLOW):
            item.add_marker(pytest.mark.slow)


@pytest.fixture(autouse=True, scope="session")
def interrupts():
    """Ctrl-C raises KeyboardInterrupt, also where tests run in the background of a shell, which ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
