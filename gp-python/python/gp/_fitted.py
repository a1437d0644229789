"""Attributes of fitted estimators; saving and pickling."""

from __future__ import annotations

import json
import os
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from numpy.random import RandomState
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import Bunch, check_random_state
from sklearn.utils.validation import check_is_fitted

from . import _gp
from ._files import write_whole
from ._html import as_html
from ._inputs import Inputs
from ._settings import threads
from ._types import Array, Column


class Fitted(Inputs):
    """Estimator with a fitted model."""

    _model: _gp.Model
    _target_names: list[str]
    _roles: dict[str, str]
    converged_: bool
    n_iter_: int
    log_evidence_: float
    trace_: Array
    notes_: list[str]

    @property
    def relevance_(self) -> dict[str, float]:
        """Total Sobol index of each input: its share of the variance of the fitted function, including interactions.

        For several targets or latent functions, only the first one is analysed; classes are analysed jointly. Empty if the
        analysis would take too long.
        """
        check_is_fitted(self)
        return {
            entry["input"]: entry["total"]["value"]
            for influence in self._about["training"].get("influence", [])[:1]
            for entry in influence["inputs"]
        }

    @property
    def leave_one_out_(self) -> Bunch:
        """Leave-one-out predictions of the training targets: ``mean``, ``deviation`` and ``log_density``.

        Each training target is predicted from all other rows, with parameters learned from all rows. Only for
        ``method="exact"``, whose models store their observations.
        """
        check_is_fitted(self)
        found = self._model.leave_one_out(threads(self.n_jobs))
        if found is None:
            method = self._about["training"]["method"]
            raise AttributeError(f"leave_one_out_ is of models that hold their observations, and method {method} leaves none")
        mean, variance, log_density = found
        return Bunch(mean=mean, deviation=np.sqrt(variance), log_density=log_density)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Saves the model to a file for ``gp.load`` and the command ``gp``.

        Parameters
        ----------
        path : str or path-like
            The file. An existing file is replaced.
        """
        check_is_fitted(self)
        write_whole(Path(os.path.realpath(path)), self._for_files().to_bytes())

    def _for_files(self) -> _gp.Model:
        """The model as it is saved in files."""
        return self._model

    def _look(self) -> None:
        """Sets attributes from the model's description."""
        self._told = told = json.loads(self._model.about())
        self._about, self._likelihood = told["about"], told["likelihood"]
        training = self._about["training"]
        self.converged_ = training["converged"]
        self.n_iter_ = max(1, training["iterations"])
        self.log_evidence_ = training["objective"]
        self.trace_ = np.array(training["curve"])
        self._roles = self._about.get("roles") or {}

    def _warn(self, said: list[str]) -> None:
        """Issues warnings at the line that calls ``fit`` or ``partial_fit``, four calls above."""
        if not self.converged_:
            reason = self._about["training"]["reason"]
            warnings.warn(f"training did not converge: {reason}", ConvergenceWarning, stacklevel=5)
        for warning in said:
            warnings.warn(warning, UserWarning, stacklevel=5)

    def _predict(self, columns: list[Column], **wanted: Any) -> dict[str, Any]:
        return self._model.predict(columns, keep_missing=self._keeps_gaps(), threads=threads(self.n_jobs), **wanted)

    def _repr_html_(self) -> str:
        return as_html(self) if hasattr(self, "_model") else self._repr_html_inner()

    def _repr_mimebundle_(self, **wanted: Any) -> dict[str, Any]:
        bundle: dict[str, Any] = super()._repr_mimebundle_(**wanted)
        if hasattr(self, "_model"):
            bundle["text/html"] = as_html(self)
        return bundle

    def __getstate__(self) -> dict[str, Any]:
        state = dict(super().__getstate__())
        if "_model" in state:
            state["_model"] = state["_model"].to_bytes()
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        if "_model" in state:
            state = {**state, "_model": self._read(state["_model"], state)}
        super().__setstate__(state)

    def _read(self, model: bytes, state: dict[str, Any]) -> _gp.Model:
        """Reads the model from its bytes; ``state`` is the state of its estimator."""
        return _gp.Model.from_bytes(model, type(self).__name__)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_model")


def seed_of(n_samples: int, random_state: int | RandomState | None) -> int:
    """Random seed for drawing samples."""
    if n_samples < 1:
        raise ValueError(f"n_samples={n_samples}: at least one sample has to be drawn")
    return int(check_random_state(random_state).randint(2**31 - 1))
