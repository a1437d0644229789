"""Docstrings of estimators: own sections merged with shared sections."""

from __future__ import annotations

import inspect
import re

# Order as in numpydoc.
_HEADINGS = ("Parameters", "Attributes", "Examples")


def described(own: str, shared: str | None) -> str:
    """Docstring that merges sections. Own entries come first, and replace shared entries with the same name."""
    (about, ours), (_, theirs) = _sections(own), _sections(shared or "")
    for heading in ("Parameters", "Attributes"):
        entries = _entries(ours.get(heading, ""))
        said = {name for entry in entries for name in _names(entry)}
        entries += [entry for entry in _entries(theirs.get(heading, "")) if not said.issuperset(_names(entry))]
        ours[heading] = "\n".join(entries)
    written = [f"{heading}\n{'-' * len(heading)}\n{ours[heading]}" for heading in _HEADINGS if ours.get(heading)]
    return "\n\n".join([about, *written]) + "\n"


def _sections(text: str) -> tuple[str, dict[str, str]]:
    """Text before the first heading, and text below each heading."""
    about, *parts = re.split(rf"^({'|'.join(_HEADINGS)})\n-+\n", inspect.cleandoc(text), flags=re.MULTILINE)
    return about.rstrip(), {heading: body.rstrip() for heading, body in zip(parts[::2], parts[1::2])}


def _entries(section: str) -> list[str]:
    return re.split(r"\n(?! )", section) if section else []


def _names(entry: str) -> set[str]:
    return set(entry.splitlines()[0].partition(" : ")[0].split(", "))
