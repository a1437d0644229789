"""Keyword arguments as flags of ``gp fit``."""

from __future__ import annotations

import datetime
from typing import Any

import numpy as np

# Flags that are repeated for each value.
_REPEATED = {"kernel", "bound", "prior", "missing_in", "type"}


def flags(choices: dict[str, Any]) -> list[str]:
    """Flags for these arguments; ``None`` and ``False`` give no flag."""
    said = []
    for name, value in choices.items():
        flag = "--" + name.replace("_", "-")
        if value is None or (isinstance(value, (bool, np.bool_)) and not value):
            continue
        if isinstance(value, (bool, np.bool_)):
            said.append(flag)
        elif name in _REPEATED and isinstance(value, (list, tuple, dict)):
            said += [f"{flag}={entry}" for entry in _entries(value)]
        elif isinstance(value, (list, tuple)):
            said.append(f"{flag}={','.join(quoted(str(entry)) for entry in value)}")
        else:
            said.append(f"{flag}={_word(value)}")
    return said


def quoted(name: str) -> str:
    """A name in a comma-separated list, quoted if necessary."""
    if "," in name or name.startswith('"'):
        return '"' + name.replace('"', '""') + '"'
    return name


def _entries(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [f"{name}={entry}" for name, entry in value.items()]
    return [str(entry) for entry in value]


def _word(value: Any) -> str:
    if isinstance(value, datetime.timedelta):
        return f"{value.total_seconds()}s"
    return repr(float(value)) if isinstance(value, float) else str(value)
