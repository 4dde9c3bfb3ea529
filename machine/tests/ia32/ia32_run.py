# SPDX-License-Identifier: Apache-2.0
"""A comparison of any length.

    .venv/bin/python machine/tests/ia32/ia32_run.py --kind spaces --instructions 10000000 --seed 7

Everything follows from the seed: a run that was interrupted goes on with --first-batch.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "support"))

from batches import progress, report
from ia32_compare import KINDS, compare
from ia32_vectors import machine_command


def main() -> int:
    parser = argparse.ArgumentParser(description="Random streams: the machine against Unicorn.")
    parser.add_argument("--kind", choices=KINDS, default="plain")
    parser.add_argument("--instructions", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first-batch", type=int, default=0, help="resume here")
    parser.add_argument("--stop-after", type=int, default=5, help="stop after so many mismatches")
    arguments = parser.parse_args()
    mismatches = compare(
        machine_command(),
        arguments.kind,
        arguments.seed,
        arguments.instructions,
        arguments.first_batch,
        progress(arguments.instructions, arguments.seed),
    )
    return report(mismatches, lambda mismatch: mismatch.report(), arguments.stop_after)


if __name__ == "__main__":
    sys.exit(main())
