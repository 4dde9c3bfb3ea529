# SPDX-License-Identifier: Apache-2.0
"""A comparison of any length.

    .venv/bin/python machine/tests/ia32/ia32_run.py --kind spaces --instructions 10000000 --seed 7

Everything follows from the seed: a run that was interrupted goes on with --first-batch. The kinds
`x87`, `x87-transcendental`, `silicon` and `silicon-segments` are compared with the host's
processor, `bochs` with Bochs, the others with Unicorn.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "support"))

import ia32_bochs
import ia32_host
import ia32_silicon
import ia32_x87
from batches import progress, report
from ia32_compare import KINDS, compare
from ia32_vectors import machine_command

HOST_KINDS = {"x87": ia32_x87.EXACT, "x87-transcendental": ia32_x87.TRANSCENDENTAL}


def main() -> int:
    parser = argparse.ArgumentParser(description="The machine against another processor.")
    parser.add_argument("--kind", choices=[*KINDS, *HOST_KINDS], default="plain")
    parser.add_argument("--instructions", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first-batch", type=int, default=0, help="resume here")
    parser.add_argument("--stop-after", type=int, default=5, help="stop after so many mismatches")
    arguments = parser.parse_args()
    if arguments.kind in HOST_KINDS:
        return run_on_host(arguments)
    reason = None
    if arguments.kind.startswith("silicon"):
        reason = ia32_silicon.why_not()
    elif arguments.kind == "bochs":
        reason = ia32_bochs.why_not()
    if reason:
        print(reason, file=sys.stderr)
        return 1
    mismatches = compare(
        machine_command(),
        arguments.kind,
        arguments.seed,
        arguments.instructions,
        arguments.first_batch,
        progress(arguments.instructions, arguments.seed),
    )
    return report(mismatches, lambda mismatch: mismatch.report(), arguments.stop_after)


def run_on_host(arguments: argparse.Namespace) -> int:
    reason = ia32_host.why_not()
    if reason:
        print(reason, file=sys.stderr)
        return 1
    met: Counter[ia32_x87.Met] = Counter()
    differences = ia32_x87.compare(
        machine_command(),
        HOST_KINDS[arguments.kind],
        arguments.seed,
        arguments.instructions,
        arguments.first_batch,
        progress(arguments.instructions, arguments.seed),
        met,
    )
    status = report(differences, lambda difference: difference.report(), arguments.stop_after)
    for line in ia32_x87.lines_of(met):
        print(line, file=sys.stderr)
    return status


if __name__ == "__main__":
    sys.exit(main())
