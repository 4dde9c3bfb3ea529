# SPDX-License-Identifier: Apache-2.0
"""A comparison of any length.

    .venv/bin/python machine/tests/ia32/ia32_run.py --kind spaces --instructions 10000000 --seed 7

Everything follows from the seed: a run that was interrupted goes on with --first-batch.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "support"))

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
    start = time.monotonic()

    def progress(batch: int, executed: int, _: Counter[int]) -> None:
        rate = executed / (time.monotonic() - start)
        print(
            f"\r{executed:,} of {arguments.instructions:,} instructions, {rate:,.0f}/s, "
            f"next: --seed {arguments.seed} --first-batch {batch} ",
            end="",
            file=sys.stderr,
            flush=True,
        )

    found = 0
    for mismatch in compare(
        machine_command(),
        arguments.kind,
        arguments.seed,
        arguments.instructions,
        arguments.first_batch,
        progress,
    ):
        found += 1
        print(f"\n{mismatch.report()}")
        if found == arguments.stop_after:
            break
    print(f"\n{found} mismatches", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
