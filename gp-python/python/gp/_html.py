"""Fitted estimators as HTML: kernel, likelihood, training and relevance of inputs."""

from __future__ import annotations

import html
from typing import Any

import numpy as np

from ._types import Array

_WIDTH, _HEIGHT = 320, 90
# Maximum number of inputs shown.
_MOST = 12


def as_html(model: Any) -> str:
    """Kernel, likelihood, relevance and training curve of a fitted estimator."""
    rows = [
        ("kernel", "<br>".join(f"<code>{html.escape(kernel)}</code>" for kernel in model._told["kernels"])),
        ("likelihood", f"<code>{html.escape(model._likelihood)}</code>"),
        ("log evidence", f"{model.log_evidence_:.6g}"),
        ("training", _training(model)),
        ("relevance", _relevance(model.relevance_)),
    ]
    heading = '<th style="text-align:left;vertical-align:top">'
    cells = "".join(f"<tr>{heading}{name}</th><td>{cell}</td></tr>" for name, cell in rows)
    return f"<div><b>{html.escape(type(model).__name__)}</b><table>{cells}</table></div>"


def _training(model: Any) -> str:
    count = f"{model.n_iter_} iteration{'' if model.n_iter_ == 1 else 's'}"
    return f"{count}, {'converged' if model.converged_ else 'not converged'}<br>{_curve(model.trace_)}"


def _curve(trace: Array) -> str:
    """Training curve as SVG; empty for fewer than two points."""
    trace = trace[np.isfinite(trace)]
    if len(trace) < 2:
        return ""
    # The first values may be far below the others.
    low, high = np.quantile(trace, 0.05), trace.max()
    share = np.clip((trace - low) / ((high - low) or 1.0), 0, 1)
    across = np.linspace(2, _WIDTH - 2, len(trace))
    points = " ".join(f"{x:.1f},{_HEIGHT - 2 - (_HEIGHT - 4) * y:.1f}" for x, y in zip(across, share))
    title = f"log posterior from {trace[0]:.4g} to {trace[-1]:.4g}"
    return (
        f'<svg width="{_WIDTH}" height="{_HEIGHT}" role="img" aria-label="{title}"><title>{title}</title>'
        f'<polyline points="{points}" fill="none" stroke="currentColor" stroke-width="1.5"/></svg>'
    )


def _relevance(relevance: dict[str, float]) -> str:
    if not relevance:
        return "not known"
    ordered = sorted(relevance.items(), key=lambda entry: -entry[1])
    lines = [f"<div>{_bar(share)} {html.escape(name)} {100 * share:.1f} %</div>" for name, share in ordered[:_MOST]]
    more = len(ordered) - _MOST
    return "".join(lines) + (f"<div>and {more} more</div>" if more > 0 else "")


def _bar(share: float) -> str:
    width = max(0.0, min(1.0, share)) * 160
    return f'<span style="display:inline-block;height:.7em;width:{width:.0f}px;background:currentColor"></span>'
