"""The files that both tasks of morphology learn from: segmented words, in paragraphs."""

from __future__ import annotations

from collections.abc import Sequence

from bistro.errors import BistroError
from bistro.models.unbounded.config import InfiniteConfig
from bistro.treebank.examples import joined
from bistro.treebank.morphology import Paragraph
from bistro.treebank.morphology_files import SegmentedText, read_segmented


class MorphologyReader:
    """Reads training files."""

    @classmethod
    def read(
        cls, paths: Sequence[str], config: InfiniteConfig, format: str | None = None
    ) -> SegmentedText:
        """Read files as one; a few words that cannot be read may be left out."""
        tolerance = config.morphology.bad_words
        parts = [read_segmented(path, format, tolerance=tolerance) for path in paths]
        whole = joined(parts)
        problems = [problem for part in parts for problem in part.problems]
        return SegmentedText(whole, name=whole.label, sha256=whole.sha256, problems=problems)


def check_paragraphs(items: Sequence[Paragraph]) -> None:
    """Refuse training data that is not made of segmented words."""
    for item in items:
        if not isinstance(item, Paragraph):
            raise BistroError(
                "morphology is learned from paragraphs of segmented words: give the name of a "
                "file, or what bistro.treebank.morphology_files.read_segmented returns"
            )
