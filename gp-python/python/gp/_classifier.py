"""Classification."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import ClassifierMixin
from sklearn.metrics import accuracy_score
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from ._choices import Choices
from ._described import described
from ._estimator import Estimator
from ._roles import free
from ._targets import labels_of
from ._types import Array, Column

if TYPE_CHECKING:
    from typing_extensions import Self


@dataclass(kw_only=True, eq=False, repr=False)
class GPClassifier(ClassifierMixin, Choices, Estimator):
    __doc__ = described(
        """Gaussian-process classification of two or more classes.

        Examples
        --------
        >>> import numpy as np
        >>> from gp import GPClassifier
        >>> x = np.linspace(-2, 2, 40)[:, None]
        >>> model = GPClassifier().fit(x, np.where(x[:, 0] > 0, "high", "low"))
        >>> model.predict([[-1.5], [1.5]]).tolist()
        ['low', 'high']
        """,
        Choices.__doc__,
    )

    _is_numeric: ClassVar[bool] = False

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None, offset: ArrayLike | None = None) -> Self:
        """Fits the model.

        Parameters
        ----------
        X : array-like or table of shape (n_samples, n_features)
            Inputs: an array, or a table of pandas, polars or pyarrow. As in the command, words are one-hot encoded, and
            dates become days.
        y : array-like of shape (n_samples,)
            Labels.
        sample_weight : array-like of shape (n_samples,), optional
            A row of weight w counts as w equal rows (fewer with ``gfitc``). ``ivm`` does not accept weights.
        offset : array-like of shape (n_samples,), optional
            Values added to the latent function; only for two classes. If given, predictions need offsets, too.

        Returns
        -------
        self
        """
        return self._learn(X, y, weights=sample_weight, offset=offset)

    def partial_fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        offset: ArrayLike | None = None,
    ) -> Self:
        """Adds observations to the model and keeps its parameters; fits a model if there is none yet.

        Parameters
        ----------
        X : array-like or table of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        classes : array-like, optional
            All labels. Each must occur in ``y`` of the first call, which fits the model.
        sample_weight, offset : array-like of shape (n_samples,), optional

        Returns
        -------
        self
        """
        unseen = set() if classes is None else set(np.ravel(classes).tolist()) - set(self._seen(y))
        if unseen:
            raise ValueError(f"no row has the label {min(map(repr, unseen))}; a model is learned from rows of all its classes")
        return self._learn_more(X, y, weights=sample_weight, offset=offset)

    def _seen(self, y: Any) -> list[Any]:
        return list(self.classes_.tolist() if hasattr(self, "_model") else np.unique(np.asarray(y)).tolist())

    def predict(self, X: ArrayLike, offset: ArrayLike | None = None) -> Any:
        """Predicts the most probable class.

        Parameters
        ----------
        X : array-like or table of shape (n_samples, n_features)
        offset : array-like of shape (n_samples,), optional

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        probabilities = self.predict_proba(X, offset=offset)
        gap = np.isnan(probabilities).any(axis=1)
        if gap.any():
            raise ValueError(
                f"`X`, row {gap.argmax()}: a value is missing, and no label says so; predict_proba has NaN for such rows"
            )
        return self.classes_[probabilities.argmax(axis=1)]

    def predict_proba(self, X: ArrayLike, offset: ArrayLike | None = None) -> Array:
        """Predicts class probabilities.

        Parameters
        ----------
        X : array-like or table of shape (n_samples, n_features)
        offset : array-like of shape (n_samples,), optional

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Columns in the order of ``classes_``.
        """
        check_is_fitted(self)
        found = self._predict(self._columns(X, {"offset": offset}), probabilities=True)
        return np.column_stack([found[f"p({label})"] for label in self._labels])

    def score(
        self,
        X: ArrayLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        offset: ArrayLike | None = None,
    ) -> float:
        """Accuracy: share of rows with a correct prediction.

        Parameters
        ----------
        X : array-like or table of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight, offset : array-like of shape (n_samples,), optional

        Returns
        -------
        float
        """
        return float(accuracy_score(y, self.predict(X, offset=offset), sample_weight=sample_weight))

    def _task(self) -> dict[str, Any]:
        task = "binary" if len(self.classes_) == 2 else "multiclass"
        # Numbers and booleans are ordered by value; words need an explicit order.
        return {"task": task} if self._kind != "category" else {"task": task, "order": self._labels}

    def _look(self) -> None:
        super()._look()
        self._kind = self._about["target"]["kind"]
        self._labels = self._about["target"]["values"]["classes"]

    def _targets(self, y: Any, names: set[str]) -> list[Column]:
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(f"there is one class, {self.classes_.tolist()[0]!r}; at least two classes are needed")
        self._kind = {"b": "boolean", "i": "number", "u": "number", "f": "number"}.get(self.classes_.dtype.kind, "category")
        self._labels = labels_of(self.classes_)
        return [self._observed(free(self._asked_names[0], names), codes)]

    def _known_targets(self, y: Any) -> list[Column]:
        known = {label: code for code, label in enumerate(self.classes_.tolist())}
        unknown = next((label for label in np.asarray(y).tolist() if label not in known), None)
        if unknown is not None:
            raise ValueError(f"y holds the label {unknown!r}, which was not seen in training")
        codes = [known[label] for label in np.asarray(y).tolist()]
        return [self._observed(self._target_names[0], codes)]

    def _observed(self, name: str, codes: Any) -> Column:
        """Target column from class indices."""
        if self._kind == "category":
            return name, "category", [self._labels[code] for code in codes]
        return name, self._kind, self.classes_.astype(np.float64)[codes]
