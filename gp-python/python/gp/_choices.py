"""What can be chosen of models of built-in likelihoods: the flags of ``gp fit`` as keyword arguments."""

from __future__ import annotations

from dataclasses import dataclass

from ._described import described
from ._settings import Settings


@dataclass(kw_only=True, eq=False, repr=False)
class Choices(Settings):
    __doc__ = described(
        """What can be chosen.

        Arguments are those of ``gp fit``, by the same names and with the same defaults; ``gp fit --help`` says more of each.
        ``None`` leaves a choice to the program.

        Parameters
        ----------
        method : str, default="auto"
            Method of inference: auto, exact, pep, vfe, fitc, ep, gfitc, sep, ivm, svgp or savigp.
        likelihood : str, optional
            Likelihood by its expression, such as ``"student_t(dof=4)"``.
        windows : float, optional
            Width of Gaussian windows, for inter-domain inducing points.
        alpha : float, optional
            Power of Power EP, from 1 (EP) to 0 (the variational limit).
        sites : {"full", "tied"}, optional
            Sites of ``sep``: one for each observation, or one average for all.
        coupling : {"coupled", "independent"}, optional
            Whether the classes of ``ivm`` are correlated in the posterior.
        parameters : {"known", "uncertain"}, optional
            Whether predictions take learned parameters as known.
        latents : int, optional
            Number of latent functions that several targets are mixed from.
        temperature : float, optional
            Class probabilities are raised to one over this; found on rows left out one at a time unless given.
        restarts : int, optional
            Number of further starts of training.
        search : int or bool, optional
            Look for a kernel, for so many steps.
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
