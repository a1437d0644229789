"""Pictures of fitted estimators, drawn with matplotlib.

Each function draws into ``ax``, or into new axes if it is not given, and returns the axes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from ._rows import Rows

__all__ = ["bands", "calibration", "partial_dependence", "surface"]


def bands(
    model: Any,
    X: ArrayLike,
    y: ArrayLike | None = None,
    *,
    levels: Sequence[float] = (0.5, 0.95),
    points: int = 200,
    ax: Any = None,
) -> Any:
    """Draws the mean of new observations along the only input, with central intervals.

    Parameters
    ----------
    model : GPRegressor or GPCountRegressor
        Fitted estimator with one input.
    X : array-like or table of shape (n_samples, 1)
        Rows that determine the range of the axis.
    y : array-like of shape (n_samples,), optional
        Targets of these rows, drawn as dots.
    levels : sequence of float, default=(0.5, 0.95)
        Probabilities of the intervals.
    points : int, default=200
        Number of points along the input.
    ax : matplotlib axes, optional

    Returns
    -------
    matplotlib axes
    """
    check_is_fitted(model)
    table = Rows(X)
    if table.width != 1:
        raise ValueError(f"bands are drawn along one input, and there are {table.width}; see partial_dependence")
    ax = _axes(ax)
    x = table.values(0, points)
    ends = sorted({p for level in levels for p in (0.5 - level / 2, 0.5 + level / 2)})
    mean, quantiles = model.predict(table.first(len(x)).with_column(0, x), quantiles=ends)
    for level in sorted(levels, reverse=True):
        low, high = (ends.index(0.5 + side * level / 2) for side in (-1, 1))
        ax.fill_between(x, quantiles[:, low], quantiles[:, high], color="C0", alpha=0.2, linewidth=0, label=f"{100 * level:g} %")
    ax.plot(x, mean, color="C0", label="mean")
    if y is not None:
        ax.plot(table.column(0), np.ravel(y), ".", color="black", markersize=3)
    ax.set_xlabel(table.names[0])
    ax.legend()
    return ax


def surface(model: Any, X: ArrayLike, *, inputs: tuple[int | str, int | str] = (0, 1), points: int = 40, ax: Any = None) -> Any:
    """Draws the mean of new observations, or the probability of the last class, over two inputs.

    Other inputs are set to their median or, for words and booleans, to their most frequent value.

    Parameters
    ----------
    model : estimator
        Fitted estimator.
    X : array-like or table of shape (n_samples, n_features)
        Rows that determine the ranges of the axes.
    inputs : pair of int or str, default=(0, 1)
        Numbers or names of the two inputs.
    points : int, default=40
        Number of points along each input.
    ax : matplotlib axes, optional

    Returns
    -------
    matplotlib axes
    """
    check_is_fitted(model)
    table, ax = Rows(X), _axes(ax)
    one, other = (table.place(name) for name in inputs)
    x, y = table.values(one, points), table.values(other, points)
    grid = table.typical(len(x) * len(y)).with_column(one, np.tile(x, len(y)))
    found = _predicted(model, Rows(grid).with_column(other, np.repeat(y, len(x))))
    drawn = ax.contourf(x, y, found.reshape(len(y), len(x)), levels=20)
    ax.figure.colorbar(drawn, ax=ax)
    ax.set_xlabel(table.names[one])
    ax.set_ylabel(table.names[other])
    return ax


def partial_dependence(
    model: Any,
    X: ArrayLike,
    *,
    inputs: Sequence[int | str] | None = None,
    points: int = 40,
    rows: int = 100,
    ax: Any = None,
) -> list[Any]:
    """Draws partial dependence: the mean prediction over rows if one input changes and the others keep their values.

    At each value, the band contains the central 80 % of the predictions for these rows.

    Parameters
    ----------
    model : estimator
        Fitted estimator. For a classifier, the probability of the last class is drawn.
    X : array-like or table of shape (n_samples, n_features)
    inputs : list of int or str, optional
        Inputs to draw, by number or name (default: the four most relevant).
    points : int, default=40
        Number of points along each input.
    rows : int, default=100
        Number of rows to average over, evenly spaced in ``X``.
    ax : list of matplotlib axes, optional
        One per input.

    Returns
    -------
    list of matplotlib axes
    """
    check_is_fitted(model)
    table = Rows(X).some(rows)
    if inputs is None:
        relevance = model.relevance_
        inputs = sorted(relevance, key=lambda name: -relevance[name])[:4] or list(range(min(4, table.width)))
    places = [table.place(name) for name in inputs]
    axes = _row_of_axes(len(places)) if ax is None else np.atleast_1d(ax).tolist()
    for place, axis in zip(places, axes):
        values = table.values(place, points)
        means = [_predicted(model, table.with_column(place, np.repeat(value, table.count))) for value in values]
        found = np.array([mean.mean() for mean in means])
        spread = np.array([np.quantile(mean, [0.1, 0.9]) for mean in means])
        if table.is_number(place):
            axis.fill_between(values, spread[:, 0], spread[:, 1], color="C0", alpha=0.2, linewidth=0)
            axis.plot(values, found, color="C0")
        else:
            axis.errorbar(values, found, np.abs(spread.T - found), fmt="o", color="C0")
        axis.set_xlabel(table.names[place])
    return axes


def calibration(model: Any, X: ArrayLike, y: ArrayLike, *, bins: int = 10, ax: Any = None) -> Any:
    """Draws a calibration curve: observed shares against predicted probabilities. Use rows outside the training data.

    For numbers, it shows the share of targets inside central intervals, against the probability of the interval. For labels,
    it shows the share of rows that have a label, against the predicted probability of this label.

    Parameters
    ----------
    model : estimator
        Fitted estimator.
    X : array-like or table of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
    bins : int, default=10
        Number of bins for probabilities.
    ax : matplotlib axes, optional

    Returns
    -------
    matplotlib axes
    """
    check_is_fitted(model)
    ax, y = _axes(ax), np.ravel(y)
    x: Any
    found: Any
    if hasattr(model, "classes_"):
        said = model.predict_proba(X)
        true = y[:, None] == model.classes_[None, :]
        place = np.minimum((said * bins).astype(int), bins - 1)
        used = [place == bin for bin in range(bins) if (place == bin).any()]
        x, found = ([of[own].mean() for own in used] for of in (said, true))
        ax.set_xlabel("predicted probability")
        ax.set_ylabel("share of rows with the label")
    else:
        x = np.linspace(0, 1, bins + 1)[1:-1]
        ends = sorted({round(p, 12) for level in x for p in (0.5 - level / 2, 0.5 + level / 2)})
        quantiles = model.predict(X, quantiles=ends)[1]
        within = [[ends.index(round(0.5 + side * level / 2, 12)) for side in (-1, 1)] for level in x]
        found = [np.mean((y >= quantiles[:, low]) & (y <= quantiles[:, high])) for low, high in within]
        ax.set_xlabel("probability of the interval")
        ax.set_ylabel("share of targets in it")
    ax.plot([0, 1], [0, 1], color="gray", linewidth=0.8)
    ax.plot(x, found, "o-", color="C0")
    return ax


def _predicted(model: Any, X: Any) -> Any:
    if hasattr(model, "classes_"):
        return model.predict_proba(X)[:, -1]
    found = model.predict(X)
    if found.ndim > 1:
        raise ValueError("the model has several targets; draw one for each")
    return found


def _pyplot() -> Any:
    try:
        import matplotlib.pyplot
    except ImportError:
        raise ImportError("gp.plot draws with matplotlib, which is not installed: pip install matplotlib") from None
    return matplotlib.pyplot


def _axes(ax: Any) -> Any:
    return _pyplot().subplots()[1] if ax is None else ax


def _row_of_axes(count: int) -> list[Any]:
    axes: list[Any] = _pyplot().subplots(1, count, figsize=(3.2 * count, 3), squeeze=False)[1][0].tolist()
    return axes
