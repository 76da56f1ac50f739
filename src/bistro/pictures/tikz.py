r"""Dependency trees for LaTeX, in the format of the package tikz-dependency.

>>> print(tikz_arcs(["Dogs", "bark"], [2, 0], ["nsubj", "root"], ["NOUN", "VERB"]))
\begin{dependency}
  \begin{deptext}[column sep=1em]
    Dogs \& bark \\
    \textsc{noun} \& \textsc{verb} \\
  \end{deptext}
  \depedge[edge height=3.0ex]{2}{1}{nsubj}
  \deproot[edge unit distance=1.5ex]{2}{root}
\end{dependency}
"""

from __future__ import annotations

from collections.abc import Sequence

from bistro.pictures.arc_layout import Arc, arrange
from bistro.pictures.arcs import NO_HEAD, check_columns

_ESCAPES = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
        '"': r"\textquotedbl{}",
        **{mark: f"\\{mark}" for mark in "&%$#_{}"},
    }
)
_ROOT_UNITS = 4
"""Height of a root's arrow, in the units of tikz-dependency."""
_LEVEL = 3.0
"""Height of one level of arcs, in ex (the height of an x)."""
PREAMBLE = r"""\documentclass[tikz, border=6pt]{standalone}
\usepackage{iftex}
\ifpdftex\usepackage[T1]{fontenc}\else\usepackage{fontspec}\fi
\usepackage{tikz-dependency}
\begin{document}
"""
ENDING = "\\end{document}\n"


def tex_text(text: str) -> str:
    """Escape all characters that TeX would interpret as commands."""
    return text.translate(_ESCAPES)


def tikz_arcs(
    forms: Sequence[str],
    heads: Sequence[int],
    labels: Sequence[str] | None = None,
    tags: Sequence[str] | None = None,
    *,
    probabilities: Sequence[float] | None = None,
) -> str:
    """Return the LaTeX environment that draws a dependency tree.

    The parameters are the same as in `draw_arcs`.
    """
    check_columns(forms, heads, labels, tags, probabilities)
    rows = [" \\& ".join(map(tex_text, forms))]
    if tags:
        rows.append(" \\& ".join(rf"\textsc{{{tex_text(tag.lower())}}}" for tag in tags))
    lines = [r"\begin{dependency}", r"  \begin{deptext}[column sep=1em]"]
    lines += [rf"    {row} \\" for row in rows]
    lines.append(r"  \end{deptext}")
    captions = [
        _caption(labels[word] if labels else "", probabilities[word] if probabilities else None)
        for word in range(len(forms))
    ]
    pairs = [(word, head) for word, head in enumerate(heads) if head != NO_HEAD]
    # By default, the package makes long arcs as tall as they are wide.
    layout = arrange([Arc(word, head - 1) for word, head in pairs if head], [0.0] * len(forms))
    heights = {arc.dependent: _LEVEL * arc.level for arc in layout.arcs}
    top = _LEVEL * (layout.levels + 1) / _ROOT_UNITS
    for word, head in pairs:
        place = f"{{{head}}}{{{word + 1}}}" if head else f"{{{word + 1}}}"
        height = f"edge height={heights[word]:.1f}ex" if head else f"edge unit distance={top:.1f}ex"
        command = "depedge" if head else "deproot"
        lines.append(rf"  \{command}[{height}]{place}{{{captions[word]}}}")
    return "\n".join([*lines, r"\end{dependency}"])


def _caption(label: str, probability: float | None) -> str:
    shown = tex_text(label)
    return shown if probability is None else f"{shown} {probability:.2f}".strip()
