"""Names in model files from which other programs import functions."""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable
from typing import Any

# Configuration entry with the names of functions and the other arguments of a likelihood.
ENTRY = "function"


def name_of(function: Callable[..., Any], what: str) -> str:
    """Module and name of a function; a TypeError if other programs could not import it."""
    module, name = getattr(function, "__module__", None), getattr(function, "__qualname__", None)
    if module is None or name is None:
        raise TypeError(f"{what} is {function!r}, which has no name that a model file could hold: {_ADVICE}")
    if module == "__main__":
        raise TypeError(f"{what} is {name} of the program itself, which no other program finds: {_ADVICE}")
    try:
        found = _found(module, name)
    except (ImportError, AttributeError):
        found = None
    if found is not function:
        raise TypeError(f"{what} is {name}, which module {module} does not have by that name: {_ADVICE}")
    return f"{module}:{name}"


_ADVICE = "put the function in a module, or pickle the estimator"


def function_of(named: str) -> Any:
    """Imports a function by its name from ``name_of``."""
    module, _, name = named.partition(":")
    try:
        return _found(module, name)
    except (ImportError, AttributeError) as error:
        raise ValueError(f"the model calls {named}, which is not there: {error}") from error


def _found(module: str, name: str) -> Any:
    found: Any = importlib.import_module(module)
    for part in name.split("."):
        found = getattr(found, part)
    return found


def entry_of(content: bytes) -> dict[str, Any] | None:
    """Entry with function names in a model file; ``None`` for models without functions, and for other files."""
    length = int.from_bytes(content[:8], "little")
    try:
        record = json.loads(json.loads(content[8 : 8 + length])["__metadata__"]["gp-model"])
        entry = record["config"].get(ENTRY)
    except (ValueError, KeyError, TypeError, AttributeError):
        return None
    is_sound = isinstance(entry, dict) and isinstance(entry.get("log_density"), str)
    return entry if is_sound else None
