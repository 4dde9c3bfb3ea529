# SPDX-License-Identifier: Apache-2.0
"""The command `switchyard faults`: plants one fault after the other, and keeps what found each."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from rich.console import Console

from switchyard.data import files
from switchyard.data.fields import Fields, parse
from switchyard.errors import InputError, RunError, StoppedError
from switchyard.run import build
from switchyard.run.store import readable
from switchyard.show import terminal
from switchyard.tools.faults import catalogue, trial
from switchyard.tools.faults.catalogue import Fault, Finder
from switchyard.tools.faults.workshop import Workshop, planted

BUILD = "build"  # the stage of a fault with which there is no kernel


@dataclass(frozen=True)
class Result:
    """What found a fault: in which boot, and how; both are empty if nothing did."""

    fault: str  # what the fault did to the sources, as a hash
    tried: Mapping[str, str]  # in which boots nothing was found, and by which tests, as a hash
    stage: str
    how: str

    def left(self, fault: Fault, tests: Mapping[str, str]) -> set[str]:
        """In which of these boots it is still to be looked for: other tests may find it."""
        if self.fault != fault.key:
            return set(tests)
        if self.stage:
            return set()
        return {name for name, test in tests.items() if self.tried.get(name) != test}


def kept() -> Path:
    """Where the repository has results."""
    return build.root() / "linux" / "faults" / "found.json"


def load(path: Path) -> dict[str, Result]:
    """Results by the names of faults; none if there is no such file."""
    if not path.exists():
        return {}
    entries = Fields(parse(readable(path).read_bytes(), str(path)), str(path))
    results = {}
    for name in entries.names():
        entry = entries.inner(name)
        tried = entry.inner("tried")
        results[name] = Result(
            entry.text("fault"),
            {stage: tried.text(stage) for stage in tried.names()},
            entry.text("stage"),
            entry.text("how"),
        )
    return results


def save(results: dict[str, Result], path: Path) -> None:
    """All results, by name."""
    packed = {name: asdict(result) for name, result in sorted(results.items())}
    files.write(path, json.dumps(packed, indent=1, ensure_ascii=False) + "\n")


@dataclass(frozen=True)
class Wish:
    """What a command asks for."""

    names: Sequence[str]  # of faults; none: all
    stages: Sequence[str]  # of boots; none: all
    fresh: bool


def run(out: Console, err: Console, wish: Wish, file: Path, jobs: int, form: str = "table") -> None:
    """Asks for all that is wished and not known yet, and shows all of it in that form."""
    chosen = catalogue.choose(catalogue.read(catalogue.place()), wish.names)
    stages = trial.choose(wish.stages)
    results = load(file)
    files.writable(file)
    err.print("faults: building the kernel and the tests without a fault", soft_wrap=True)
    trial.built()
    for fault in chosen:
        planted(fault)  # complains before the first takes its time
    tests = {stage.name: trial.tests(stage) for stage in stages}
    new = Result("", {}, "", "")
    workshop = Workshop(jobs)
    try:
        with workshop.only_user():
            results = load(file)  # with what another run has kept while this one waited for it
            known = {} if wish.fresh else results
            left = {fault: known.get(fault.name, new).left(fault, tests) for fault in chosen}
            wanted = [fault for fault in chosen if left[fault]]
            if wanted and workshop.prepare():
                err.print("faults: sources and objects of their own are made", soft_wrap=True)
            if wanted:
                err.print("faults: the boots must find nothing without a fault", soft_wrap=True)
            for stage in stages:
                if any(stage.name in left[fault] for fault in wanted):
                    trial.sound(workshop.usual, stage, workshop.passed)
            for number, fault in enumerate(wanted, 1):
                err.print(f"faults: {number} of {len(wanted)}: {fault.name}", soft_wrap=True)
                before = known.get(fault.name, new)
                tried = before.tried if before.fault == fault.key else {}
                asked = {stage: tests[stage.name] for stage in stages if stage.name in left[fault]}
                results[fault.name] = result = _ask(workshop, fault, asked, tried)
                told = f"{result.stage}: {result.how}" if result.stage else "not found"
                err.print(f"  {told}", soft_wrap=True)
                save(results, file)
    except KeyboardInterrupt as cause:
        message = f"interrupted; {len(results)} results are kept in {file}, and not asked for again"
        raise StoppedError(message, cause) from None
    listed(out, chosen, results, form)


def _ask(
    workshop: Workshop, fault: Fault, stages: Mapping[trial.Stage, str], tried: Mapping[str, str]
) -> Result:
    said = workshop.make(fault)
    if said:
        return Result(fault.key, tried, BUILD, said)
    for stage, tests in stages.items():
        said = trial.watch(workshop.kernel, stage)
        if said:
            return Result(fault.key, tried, stage.name, said)
        tried = {**tried, stage.name: tests}
    return Result(fault.key, tried, "", "")


def cells(fault: Fault, result: Result | None) -> tuple[str, str]:
    """What found a fault, and how or why nothing did, for a table."""
    if result is None:
        return "not tried", fault.why
    if result.stage:
        return result.stage, result.how
    untried = [stage.name for stage in trial.STAGES if stage.name not in result.tried]
    note = f"not tried: {', '.join(untried)}. " if untried else ""
    finder = "not found" if fault.finder is Finder.TESTS else fault.finder.value
    return finder, note + fault.why


def listed(out: Console, chosen: Sequence[Fault], results: Mapping[str, Result], form: str) -> None:
    """Lists faults and what found them; `RunError` where that is not what the list expects."""
    known = {fault: cells(fault, results.get(fault.name)) for fault in chosen}
    columns = ["fault", "patch", "found by", "how, or why not"]
    rows = [[fault.name, fault.patch, *known[fault]] for fault in chosen]
    whole = [
        {
            "name": fault.name,
            "patch": fault.patch,
            "file": fault.file,
            "about": fault.about,
            "expected": fault.finder.value,
            "found_by": known[fault][0],
            "how": known[fault][1],
        }
        for fault in chosen
    ]
    terminal.listing(out, terminal.Shown("Faults and what found them", columns, rows), form, whole)
    wrong = [
        fault.name
        for fault in chosen
        if fault.name in results
        and bool(results[fault.name].stage) != (fault.finder is Finder.TESTS)
    ]
    if wrong:
        raise RunError(f"found otherwise than {catalogue.place()} says: {', '.join(wrong)}")


# ---- the page of the book ----

BEGIN, END = "<!-- what found them -->\n", "<!-- end -->\n"


def page() -> Path:
    """Where the table is shown."""
    return build.root() / "docs" / "linux-faults.md"


def renewed(text: str, faults: Sequence[Fault], results: dict[str, Result]) -> str:
    """The page with the table of these results between its marks."""
    before, _, rest = text.partition(BEGIN)
    _, mark, after = rest.partition(END)
    if not mark:
        raise InputError(f"{page()}: no marks; expected {BEGIN.strip()} and {END.strip()}")
    rows = ["| fault | patch | left out, or not looked at | found by | how, or why not |"]
    rows.append("|---|---|---|---|---|")
    for fault in faults:
        how = cells(fault, results.get(fault.name))
        columns = (f"`{fault.name}`", fault.patch, fault.about, *how)
        rows.append(f"| {' | '.join(columns)} |")
    return before + BEGIN + "\n".join(rows) + "\n" + END + after


def write_page(out: Console, file: Path) -> None:
    """Writes the page's table anew."""
    faults, results = catalogue.read(catalogue.place()), load(file)
    files.write(page(), renewed(page().read_text("utf-8"), faults, results))
    out.print(f"written: {page()}", soft_wrap=True)
