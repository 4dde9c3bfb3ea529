# SPDX-License-Identifier: Apache-2.0
"""A differential run of any length, or the replay of one saved case.

    .venv/bin/python machine/tests/differential/run.py --instructions 50000000 --seed 7

Everything follows from the seed: a run that was interrupted goes on with --first-batch.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "support"))

from batches import progress, report
from compare import Mismatch, compare, disassemble, run_one, save
from reference import Reference
from space_reference import SpaceReference
from spaces import SpaceMismatch, compare_spaces, save_space
from vectors import MachineRun, decode_case, machine_command

from switchyard.errors import InputError


def replay(command: list[str], path: Path, v5: bool = False) -> int:
    with path.open("rb") as file:
        case = decode_case(file)
    if case.space:
        reference = SpaceReference(v5)
        again = reference.run(case)
        ours = MachineRun(command, [case.with_limit(again.executed)]).answers()[0]
        print(SpaceMismatch(case, ours, again, str(path)).report())
        print("the machine and the reference " + ("agree" if ours == again else "differ"))
        return int(ours != again)
    ours = MachineRun(command, [case]).answers()[0]
    theirs = run_one(Reference(v5), case)
    if ours != theirs:
        print(Mismatch(case, ours, theirs, str(path)).report())
        return 1
    print("\n".join(disassemble(case)))
    print(f"{path}: the machine and the reference agree")
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(description="Random streams: the machine against Unicorn.")
    parser.add_argument("--instructions", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first-batch", type=int, default=0, help="resume here")
    parser.add_argument("--core", choices=("sa1110", "arm926"), default="sa1110")
    parser.add_argument("--caches", action="store_true", help="run through MMU and caches")
    parser.add_argument("--spaces", action="store_true", help="with page tables and faults")
    parser.add_argument("--stop-after", type=int, default=5, help="stop after so many mismatches")
    parser.add_argument("--save", type=Path, default=Path("build/differential"))
    parser.add_argument("--replay", type=Path, metavar="FILE", help="run one saved case")
    arguments = parser.parse_args()
    try:
        command = machine_command(arguments.core)
    except InputError as error:
        print(error, file=sys.stderr)
        return 2
    v5 = arguments.core == "arm926"
    if arguments.caches and not arguments.spaces:
        command.append("--caches")
    if arguments.replay:
        return replay(command, arguments.replay, v5)

    shown = progress(arguments.instructions, arguments.seed)
    if arguments.spaces:
        return report(
            compare_spaces(
                command,
                arguments.seed,
                arguments.instructions,
                v5,
                arguments.caches,
                arguments.first_batch,
                shown,
            ),
            lambda strange: f"{strange.report()}\nsaved as {save_space(strange, arguments.save)}",
            arguments.stop_after,
        )
    return report(
        compare(command, arguments.seed, arguments.instructions, arguments.first_batch, shown, v5),
        lambda mismatch: f"{mismatch.report()}\nsaved as {save(mismatch, arguments.save)}",
        arguments.stop_after,
    )


if __name__ == "__main__":
    sys.exit(main())
