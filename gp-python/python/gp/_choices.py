"""Arguments of estimators with built-in likelihoods: flags of ``gp fit`` as keyword arguments."""

from __future__ import annotations

from dataclasses import dataclass

from ._described import described
from ._settings import Settings


@dataclass(kw_only=True, eq=False, repr=False)
class Choices(Settings):
    __doc__ = described(
        """Arguments of estimators with built-in likelihoods.

        Arguments have the same names and defaults as the flags of ``gp fit``. ``gp fit --help`` has more details.
        For ``None``, the program chooses a value.

        Parameters
        ----------
        method : str, default="auto"
            Method of inference: auto, exact, pep, vfe, fitc, ep, gfitc, sep, ivm, svgp or savigp.
        likelihood : str, optional
            Likelihood, such as ``"student_t(dof=4)"``.
        windows : float, optional
            Standard deviation of Gaussian windows around inducing inputs (inter-domain features), in units of the model.
        alpha : float, optional
            Power of Power EP, from 1 (EP) to 0 (the variational limit).
        sites : {"full", "tied"}, optional
            Sites of ``sep``: one per observation (full), or one average site for all observations (tied).
        coupling : {"coupled", "independent"}, optional
            Whether the posterior of ``ivm`` contains correlations between classes (coupled) or not (independent).
        parameters : {"known", "uncertain"}, optional
            Whether predictions use the learned parameters (known), or average over their uncertainty (uncertain).
        latents : int, optional
            For several targets: number of latent functions. Each target is a linear mixture of all of them.
        temperature : float, optional
            Temperature T: class probabilities are raised to the power 1/T and normalised. By default, T is estimated by
            leave-one-out.
        restarts : int, optional
            Number of additional random starts of training.
        search : int or bool, optional
            Number of steps of a kernel search; ``True`` for the default number, 4.
        """,
        Settings.__doc__,
    )

    method: str = "auto"
    likelihood: str | None = None
    windows: float | None = None
    alpha: float | None = None
    sites: str | None = None
    coupling: str | None = None
    parameters: str | None = None
    latents: int | None = None
    temperature: float | None = None
    restarts: int | None = None
    search: int | bool | None = None
