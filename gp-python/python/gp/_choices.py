"""Arguments of estimators with built-in likelihoods: flags of ``gp fit`` as keyword arguments."""

from __future__ import annotations

from dataclasses import dataclass

from ._described import described
from ._settings import Settings


@dataclass(kw_only=True, eq=False, repr=False)
class Choices(Settings):
    __doc__ = described(
        """Arguments of estimators with built-in likelihoods.

        Arguments have the names and defaults of the flags of ``gp fit``; ``gp fit --help`` describes them in more detail.
        With ``None``, the program chooses.

        Parameters
        ----------
        method : str, default="auto"
            Method of inference: auto, exact, pep, vfe, fitc, ep, gfitc, sep, ivm, svgp or savigp.
        likelihood : str, optional
            Expression of the likelihood, such as ``"student_t(dof=4)"``.
        windows : float, optional
            Width of Gaussian windows around inducing inputs (inter-domain features), in units of the model.
        alpha : float, optional
            Power of Power EP, from 1 (EP) to 0 (the variational limit).
        sites : {"full", "tied"}, optional
            Sites of ``sep``: one per observation (full), or one average for all (tied).
        coupling : {"coupled", "independent"}, optional
            Whether the classes of ``ivm`` are correlated in the posterior.
        parameters : {"known", "uncertain"}, optional
            Whether predictions use the learned parameters as known, or average over their uncertainty.
        latents : int, optional
            Number of latent functions; each of several targets is a linear mixture of them.
        temperature : float, optional
            Temperature T: class probabilities are raised to the power 1/T and normalised. Estimated on rows left out one
            at a time unless given.
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
