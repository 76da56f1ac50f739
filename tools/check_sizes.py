"""Refuse large files in a commit: models and treebanks do not belong in the repository.

python tools/check_sizes.py FILE...
"""

from __future__ import annotations

import sys
from pathlib import Path

MOST_BYTES = 1_000_000


def main(paths: list[str]) -> int:
    """Print the files that are too large; return 1 if there are any."""
    large = [path for path in paths if Path(path).stat().st_size > MOST_BYTES]
    for path in large:
        print(f"{path}: larger than {MOST_BYTES:,} bytes", file=sys.stderr)
    return 1 if large else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
