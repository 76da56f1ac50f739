"""Print the results of simulation-based calibration for the documentation.

    PYTHONPATH=src python tools/sampler_table.py [PART OF A NAME ...] > table.md

Correct samplers come first, then wrong ones, which must be rejected. All of them take about half an
hour; arguments select the samplers whose names contain one of them.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "statistical"))

from calibrated import RIGHT, THINNING, WRONG

from bistro.inference.simulated import calibrate


def main() -> None:
    """Print one row per sampler, as soon as its result is available."""
    print("| sampler | runs | quantities | smallest p-value, corrected | verdict |")
    print("|---|---|---|---|---|")
    for name, (simulate, runs) in {**RIGHT, **WRONG}.items():
        if len(sys.argv) > 1 and not any(part in name for part in sys.argv[1:]):
            continue
        begin = time.monotonic()
        check = calibrate(name, simulate, runs, thinning=THINNING.get(name))
        verdict = "rejected" if check.is_rejected else "passed"
        shown = f"{check.p_value:.2g}" if check.p_value > 1e-9 else "< 10⁻⁹"
        print(f"| {name} | {runs:,} | {len(check.ranks)} | {shown} ({check.worst}) | {verdict} |")
        print(
            f"{name}: {time.monotonic() - begin:.0f} s; {check.protocol}; "
            f"{check.tendency(check.worst)}",
            file=sys.stderr,
        )
        sys.stdout.flush()


if __name__ == "__main__":
    main()
