"""Likelihoods from Python functions; checks of functions and parameters."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from . import _gp
from ._named import name_of


def function_likelihood(
    log_density: Any, latents: int, targets: int, params: Mapping[str, Any] | None, gradient: Callable[..., Any] | None
) -> _gp.Function:
    """Likelihood from its log density."""
    if not callable(log_density):
        raise TypeError(f"log_density={log_density!r}: it must be a function of y and samples of latent values")
    return _gp.Function(log_density, latents, targets, _parameters(params), gradient)


def entry_for_files(
    functions: Mapping[str, Callable[..., Any] | None], latents: int, targets: int, params: Mapping[str, Any] | None
) -> dict[str, Any]:
    """Entry in a model file that describes a likelihood: its functions by name, numbers of latents and targets, parameters."""
    named = {what: None if function is None else name_of(function, what) for what, function in functions.items()}
    ends = {name: ends for name, *ends in _parameters(params)}
    return {**named, "latents": latents, "targets": targets, "params": ends}


def _parameters(params: Mapping[str, Any] | None) -> list[tuple[str, float, float | None, float | None]]:
    return [_parameter(name, value) for name, value in (params or {}).items()]


def _parameter(name: Any, value: Any) -> tuple[str, float, float | None, float | None]:
    """Name, initial value and bounds of a parameter."""
    if not isinstance(name, str) or not name.isidentifier():
        raise ValueError(f"params: {name!r} is no name of a parameter")
    value = value if isinstance(value, (tuple, list)) else (value, None, None)
    if len(value) != 3:
        raise ValueError(f"params: {name} is {value!r}, but has to be a number or (value, low, high)")
    start, low, high = (None if number is None or np.isinf(number) else float(number) for number in value)
    if start is None:
        raise ValueError(f"params: {name} starts from {value[0]!r}, but has to start from a finite number")
    return name, start, low, high
