r"""Dependency trees for LaTeX, as the package tikz-dependency reads them.

>>> print(tikz_arcs(["Dogs", "bark"], [2, 0], ["nsubj", "root"], ["NOUN", "VERB"]))
\begin{dependency}
  \begin{deptext}[column sep=1em]
    Dogs \& bark \\
    \textsc{noun} \& \textsc{verb} \\
  \end{deptext}
  \deproot{2}{root}
  \depedge{2}{1}{nsubj}
\end{dependency}
"""

from __future__ import annotations

from collections.abc import Sequence

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
PREAMBLE = r"""\documentclass[tikz, border=6pt]{standalone}
\usepackage{iftex}
\ifpdftex\usepackage[T1]{fontenc}\else\usepackage{fontspec}\fi
\usepackage{tikz-dependency}
\begin{document}
"""
ENDING = "\\end{document}\n"


def tex_text(text: str) -> str:
    """Return text with the characters that TeX reads as commands escaped."""
    return text.translate(_ESCAPES)


def tikz_arcs(
    forms: Sequence[str],
    heads: Sequence[int],
    labels: Sequence[str] | None = None,
    tags: Sequence[str] | None = None,
    *,
    probabilities: Sequence[float] | None = None,
) -> str:
    """Return the environment that draws a dependency tree; parameters as `draw_arcs` has them."""
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
    lines += [rf"  \deproot{{{word + 1}}}{{{captions[word]}}}" for word, head in pairs if not head]
    lines += [
        rf"  \depedge{{{head}}}{{{word + 1}}}{{{captions[word]}}}" for word, head in pairs if head
    ]
    return "\n".join([*lines, r"\end{dependency}"])


def _caption(label: str, probability: float | None) -> str:
    shown = tex_text(label)
    return shown if probability is None else f"{shown} {probability:.2f}".strip()
