"""Checks of scikit-learn that take half of the time of all tests together are slow ones."""

import pytest

SLOW = ("check_regressor_data_not_an_array", "check_regressors_train")


def pytest_collection_modifyitems(items):
    for item in items:
        if any(name in item.name for name in SLOW):
            item.add_marker(pytest.mark.slow)
