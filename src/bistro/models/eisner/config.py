"""Settings of Eisner's model, including the contexts of its distributions.

A head generates its children outward on each side, and ends each side with a stop symbol. Contexts
may contain the following elements.

    direction                               left or right of the head
    parent.tag  parent.word  parent.label   the head; its label only if labels are generated
    sibling.tag  sibling.label              the previous child, nearer to the head, if any
    tag  label  word                        the child itself, as far as it has been generated
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from bistro._core import dependency_elements
from bistro.config import setting
from bistro.encoding.contexts import check_context
from bistro.errors import ConfigError
from bistro.inference.settings import SamplerSettings
from bistro.models.parsing.settings import ParserSettings

ELEMENTS = dependency_elements()
SIBLING = [name for name in ELEMENTS if name.startswith("sibling.")]
GENERATED = [name for name in ELEMENTS if name.endswith("label")]
"""Context elements that are available only if labels are generated before the tag and word of a
child."""


@dataclass(frozen=True)
class ChildContexts:
    """The context elements of each distribution, starting with the most informative element."""

    tags: tuple[str, ...] = setting(
        ("direction", "parent.tag", "sibling.tag", "parent.word"),
        "Context for predicting the tag of the next child, which may be the stop symbol.",
    )
    words: tuple[str, ...] = setting(
        ("tag", "direction", "parent.tag", "parent.word"),
        "Context for predicting a child's word.",
    )
    labels: tuple[str, ...] = setting(
        ("tag", "direction", "parent.tag", "word", "parent.word"),
        "Context for predicting an arc's label.",
    )


@dataclass(frozen=True)
class EisnerConfig(ParserSettings):
    """Settings of Eisner's model."""

    labels: Literal["arcs", "generated", "none"] = setting(
        "arcs",
        "Whether labels are assigned to finished arcs, generated before the tag and word of a "
        "child, or not used.",
    )
    unknown: Literal["classes", "single"] = setting(
        "classes",
        "How to represent unknown words: by classes based on shape and suffix (classes), or by "
        "a single symbol <unk> (single).",
    )
    contexts: ChildContexts = setting(ChildContexts(), "Context elements of each distribution.")
    sampler: SamplerSettings = setting(
        SamplerSettings(sweeps=20, samples=10), "Settings for learning the distributions."
    )

    def validate(self) -> None:
        """Raise an error if a context element is unknown or is generated too late to be used."""
        generated = self.labels == "generated"
        late = {
            "tags": ("tag", "word"),
            "words": ("word", *SIBLING),
            "labels": ("label", "tag", "word") if generated else ("label", *SIBLING),
        }
        for name, forbidden in late.items():
            elements = getattr(self.contexts, name)
            check_context(elements, ELEMENTS)
            for element in elements:
                if element in forbidden:
                    problem = f"'{element}' is not available in the contexts of {name}"
                    if generated and name == "labels":
                        problem += (
                            ", since labels are generated first: see the preset eisner-generated"
                        )
                    raise ConfigError(problem)
                if element in GENERATED and not generated:
                    raise ConfigError(f"'{element}' is available only if labels = 'generated'")
