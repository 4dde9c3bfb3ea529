# SPDX-License-Identifier: Apache-2.0
"""`switchyard compare`: what changed between two sets of values, and the counters that say why.

A side is records (a file or folder), statistics of a run, a machine file or an image to run, or a
commit whose image is built. All become cases with values. A cycle count is exact: one cycle more is
a change. A value that was measured several times changes where it leaves both uncertainties.
"""

import shlex
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from switchyard.data import fields, results
from switchyard.data.records import Record
from switchyard.errors import InputError, RunError
from switchyard.run import machine
from switchyard.run.machine import Boot, Counters, Stats

# Of a case, what its change is: the first of these that it has, or else its first value.
MAIN = ("cycles", "round_trip", "us")
UNCERTAINTY = "_uncertainty"
# Beside the main value, what a case's other metrics end in.
SPREAD = (UNCERTAINTY, "_runs", "_samples", "_p5", "_p95")
REASONS = 3  # counters that are shown of a change


@dataclass(frozen=True)
class Case:
    """Something measured: its main value, how sure that is, and what was counted beside."""

    metric: str
    value: float
    unit: str
    noise: float  # half the width within which the value is known; 0: exact
    counters: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Change:
    """One case on both sides."""

    name: str
    before: Case
    after: Case

    @property
    def difference(self) -> float:
        """What was added."""
        return self.after.value - self.before.value

    @property
    def share(self) -> float:
        """The same, of what it was; infinite where that was nothing."""
        if self.before.value == 0:
            return 0.0 if self.difference == 0 else float("inf")
        return self.difference / self.before.value

    @property
    def certain(self) -> bool:
        """Whether it is beyond noise."""
        return abs(self.difference) > self.before.noise + self.after.noise

    def beyond(self, share: float) -> bool:
        """Whether it is certain, and larger than that share."""
        return self.certain and abs(self.share) > share

    def reasons(self) -> list[str]:
        """The counters that changed most: first cycles that wait for something, then the others."""
        before, after = self.before.counters, self.after.counters
        moved = {
            name: after.get(name, 0) - before.get(name, 0)
            for name in dict.fromkeys([*before, *after])
        }
        stalls = _largest(moved, [name for name in moved if name.endswith("_cycles")], 0.01)
        others = _largest(moved, [name for name in moved if not name.endswith("_cycles")], 0.0)
        chosen = [*stalls[:REASONS], *others][: REASONS + 1]
        return [f"{name} {moved[name]:+,.6g}" for name in chosen]


def _largest(moved: Mapping[str, float], names: Sequence[str], least: float) -> list[str]:
    most = max((abs(moved[name]) for name in names), default=0)
    some = [name for name in names if abs(moved[name]) > most * least and moved[name] != 0]
    return sorted(some, key=lambda name: abs(moved[name]), reverse=True)


@dataclass(frozen=True)
class Outcome:
    """What a comparison found: the cases on both sides, and those on one side only."""

    changes: Sequence[Change]
    only_before: Sequence[str]
    only_after: Sequence[str]


@dataclass(frozen=True)
class How:
    """How a side that is to be run is run, and a commit's image made."""

    machine: str
    kernel: Path | None = None
    append: str = ""
    max_cycles: int | None = None
    build: str = ""
    bios: str = ""


def compare(before: str, after: str, how: How) -> Outcome:
    """Both sides, case by case."""
    with ExitStack() as stack:
        cases = [stack.enter_context(_cases(side, how)) for side in (before, after)]
        first, second = cases
        both = [name for name in first if name in second]
        changes = [Change(name, first[name], second[name]) for name in both]
        if not changes:
            raise InputError(f"{before}, {after}: no case in common; expected two of the same")
        return Outcome(
            changes,
            [name for name in first if name not in second],
            [name for name in second if name not in first],
        )


@contextmanager
def _cases(side: str, how: How) -> Iterator[dict[str, Case]]:
    """The cases of a side; what was built for it goes with it."""
    path = Path(side)
    if how.build:
        if how.kernel is None:
            raise InputError("--kernel: missing; expected the image that --build makes")
        with _checkout(side) as folder:
            done = subprocess.run(["sh", "-c", how.build], cwd=folder, check=False)
            if done.returncode != 0:
                raise RunError(f"{side}: {how.build}: failed")
            yield _run(how.machine, folder / how.kernel, how)
    elif path.is_dir():
        files = sorted(file for file in path.iterdir() if results.is_records(file))
        if not files:
            raise InputError(f"{side}: no records; expected a folder that switchyard run wrote")
        yield _of_records([record for file in files for record in results.read(file).records])
    elif not path.exists():
        raise InputError(
            f"{side}: not found; expected records, statistics, a machine file, an image, or a "
            "commit with --build"
        )
    elif path.suffix == ".toml":
        if how.kernel is None:
            raise InputError("--kernel: missing; expected what runs on both machines")
        yield _run(side, how.kernel, how)
    elif path.suffix == ".csv" or path.read_bytes()[:1] == b"[":
        yield _of_records(results.read(path).records)
    elif path.read_bytes()[:1] == b"{":
        text = path.read_text(encoding="utf-8")
        fields.Fields(fields.parse(text.encode(), side), side)
        yield of_stats(Stats.parse(text, side))
    else:
        yield _run(how.machine, path, how)


@contextmanager
def _checkout(commit: str) -> Iterator[Path]:
    """A commit of the repository that we are in, in a folder of its own."""
    with tempfile.TemporaryDirectory(prefix="switchyard-compare-") as folder:
        place = Path(folder) / "checkout"
        add = ["git", "worktree", "add", "--quiet", "--detach", str(place), commit]
        done = subprocess.run(add, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            said = (done.stderr.strip().splitlines() or ["git failed"])[-1]
            raise InputError(f"{commit}: {said}; expected a commit: {shlex.join(add[:3])}")
        try:
            yield place
        finally:
            remove = ["git", "worktree", "remove", "--force", str(place)]
            subprocess.run(remove, capture_output=True, check=False)


def _run(name: str, kernel: Path, how: How) -> dict[str, Case]:
    boot = Boot(machine.described_in(name), kernel, how.append, how.max_cycles, bios=how.bios)
    return of_stats(machine.run(boot).stats)


def of_stats(stats: Stats) -> dict[str, Case]:
    """The whole run, and each region that the guest marked."""
    cases = {"run": _counted(stats.cycles, stats.counters)}
    for region in stats.regions:
        cases[f"region {region.id}"] = _counted(region.counters.total("cycles"), region.counters)
    return cases


def _counted(cycles: int, counters: Counters) -> Case:
    counted = {name: counters.total(name) for name in counters.kernel if name != "cycles"}
    return Case("cycles", cycles, "cycles", 0, counted)


def _of_records(records: Sequence[Record]) -> dict[str, Case]:
    """A case a place in which something was measured, from all its records."""
    places: dict[str, dict[str, Record]] = {}
    for record in records:
        place = [record.machine, record.scheme]
        place += [f"{name}={value}" for name, value in sorted(record.parameters.items())]
        named = f"{record.experiment}: {' '.join(place)}"
        places.setdefault(named, {})[record.metric] = record
    cases = {}
    for named, metrics in places.items():
        first = next(iter(metrics))
        main = metrics[next((name for name in MAIN if name in metrics), first)]
        uncertain = metrics.get(f"{main.metric}{UNCERTAINTY}")
        # of one run nothing is known: it is compared as it is
        share = uncertain.value if uncertain and uncertain.value < float("inf") else 0.0
        others = {
            name: record.value
            for name, record in metrics.items()
            if record is not main and not name.endswith(SPREAD)
        }
        cases[named] = Case(main.metric, main.value, main.unit, share * abs(main.value), others)
    return cases
