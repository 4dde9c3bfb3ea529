# SPDX-License-Identifier: Apache-2.0
"""The list of faults in Linux' fast switching: that it fits the sources; what is kept of each.

Nothing is built or booted here but the usual kernel, if it is not there yet.
"""

import csv
import io
import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from rich.console import Console

from switchyard import cli
from switchyard.errors import InputError, RunError
from switchyard.run import build, build_linux
from switchyard.run.build_linux import SYSTEMS
from switchyard.tools.faults import catalogue, command, trial, workshop
from switchyard.tools.faults.catalogue import Fault, Finder
from switchyard.tools.faults.command import Result

FAULTS = catalogue.read(catalogue.place())
FAULT = """
[[fault]]
name = "a"
patch = "0001"
file = "f.c"
about = "something"
old = "one\\n"
new = ""
"""


@pytest.fixture
def listed(tmp_path: Path) -> Path:
    path = tmp_path / "faults.toml"
    path.write_text(FAULT)
    return path


def refusal(path: Path) -> str:
    with pytest.raises(InputError) as raised:
        catalogue.read(path)
    assert "\n" not in str(raised.value)
    return str(raised.value)


@pytest.mark.linux
def test_each_fault_has_one_place_in_the_patched_sources() -> None:
    build_linux.ensure([SYSTEMS["linux-sa1110-fass"]])
    for fault in FAULTS:
        assert fault.new != fault.old
        assert workshop.planted(fault)


@pytest.mark.linux
def test_each_fault_is_in_lines_of_its_patch() -> None:
    """Or in a file that the patch changes, where what a later one added was put right."""
    series = build.root() / "linux" / "6.12" / "fass"
    for fault in FAULTS:
        (patch,) = series.glob(f"{fault.patch}-*.patch")
        assert f"+++ b/{fault.file}\n" in patch.read_text(encoding="utf-8"), fault.name


def test_the_page_shows_the_results_that_are_kept() -> None:
    text = command.page().read_text(encoding="utf-8")
    assert command.renewed(text, FAULTS, command.load(command.kept())) == text


def test_results_are_of_faults_as_they_are() -> None:
    results = command.load(command.kept())
    keys = {fault.name: fault.key for fault in FAULTS}
    assert {name: result.fault for name, result in results.items()} == {
        name: keys.get(name) for name in results
    }


def test_results_are_as_the_list_expects() -> None:
    results = command.load(command.kept())
    tried = [fault for fault in FAULTS if fault.name in results]
    assert len(tried) >= 25
    for fault in tried:
        assert bool(results[fault.name].stage) == (fault.finder is Finder.TESTS), fault.name


def test_a_list_is_read(listed: Path) -> None:
    (fault,) = catalogue.read(listed)
    assert fault == Fault("a", "0001", "f.c", "something", "one\n", "", Finder.TESTS, "")
    assert fault.plant("zero\none\ntwo\n") == "zero\ntwo\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no list of faults"),
        ("fault = 3", "no list of faults"),
        ("fault = [3]", "no table"),
        ("[[fault]", "expected TOML"),
        (FAULT.replace('name = "a"', ""), "fault 0: no name"),
        (FAULT + "line = 3", "line: is no field"),
        (FAULT.replace('"something"', "3"), "about: expected text"),
        (FAULT + 'found = "luck"', "found = luck: unknown"),
        (FAULT + 'found = "nothing"', "why: expected"),
        (FAULT + 'why = "so"', "why: expected"),
        (FAULT + FAULT, "fault a: twice"),
    ],
)
def test_a_wrong_list_is_refused(listed: Path, text: str, said: str) -> None:
    listed.write_text(text)
    assert said in refusal(listed)


def test_a_fault_without_one_place_is_refused(listed: Path) -> None:
    (fault,) = catalogue.read(listed)
    for text, places in (("two\n", 0), ("one\none\n", 2)):
        with pytest.raises(InputError, match=f"fault a: f.c: {places} places .* expected one"):
            fault.plant(text)


def test_a_name_that_is_no_faults_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.execute(["faults", "caches-of-nobody"]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "fault caches-of-nobody: unknown" in said


def test_what_was_not_found_is_tried_by_other_tests() -> None:
    fault = FAULTS[0]
    these, others = ({"self-test": tests, "stress": "1"} for tests in ("these", "others"))
    caught = Result(fault.key, {}, "self-test", "a test")
    missed = Result(fault.key, these, "", "")
    assert caught.left(fault, others) == set()
    assert missed.left(fault, these) == set()
    assert missed.left(fault, others) == {"self-test"}
    assert caught.left(FAULTS[1], these) == {"self-test", "stress"}


def test_a_boot_that_is_none_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.execute(["faults", "--stage", "luck"]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "--stage luck: unknown" in said


def test_a_boot_that_finds_something_without_a_fault_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It would find each fault. One that the kernel gets through is not tried again."""
    kernel, passed = tmp_path / "zImage", tmp_path / "passed"
    kernel.write_bytes(b"a kernel")
    stage = trial.STAGES[0]
    said = ["a flush is missing", "", ""]
    monkeypatch.setattr(trial, "tests", lambda _: "these")
    monkeypatch.setattr(trial, "watch", lambda *_: said.pop(0))
    with pytest.raises(RunError, match=r"self-test: found without a fault, too: a flush"):
        trial.sound(kernel, stage, passed)
    for _ in range(2):
        trial.sound(kernel, stage, passed)
    assert said == [""]
    kernel.write_bytes(b"another")
    trial.sound(kernel, stage, passed)
    assert not said


def test_results_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "found.json"
    assert command.load(path) == {}
    results = {
        "a": Result("1", {}, "self-test", "a test"),
        "b": Result("3", {"self-test": "4"}, "", ""),
    }
    command.save(results, path)
    assert command.load(path) == results
    path.write_text("[]")
    with pytest.raises(InputError, match="expected an object"):
        command.load(path)


def test_what_another_run_keeps_meanwhile_stays(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path, fault = tmp_path / "found.json", FAULTS[0]

    class Waits(workshop.Workshop):
        """Gets its turn when another run has ended."""

        @contextmanager
        def only_user(self) -> Iterator[int]:
            command.save({"another": Result("1", {}, "self-test", "a test")}, path)
            yield 0

        def prepare(self) -> bool:
            return False

    monkeypatch.setattr(command, "Workshop", Waits)
    monkeypatch.setattr(command, "_ask", lambda *_: Result(fault.key, {}, "self-test", "a test"))
    monkeypatch.setattr(trial, "built", lambda: None)
    monkeypatch.setattr(trial, "tests", lambda _: "these")
    monkeypatch.setattr(trial, "sound", lambda *_: None)
    silent = Console(quiet=True)
    command.run(silent, silent, command.Wish([fault.name], ["self-test"], False), path, 1)
    assert set(command.load(path)) == {"another", fault.name}


def test_the_table_says_what_was_not_tried() -> None:
    (fault, *_) = FAULTS
    tried = {"self-test": "1"}
    assert command.cells(fault, None) == ("not tried", "")
    assert command.cells(fault, Result(fault.key, tried, "", "")) == (
        "not found",
        "not tried: large instruction cache and TLBs, libraries, stress. ",
    )
    assert command.cells(fault, Result(fault.key, {}, "stress", "a scene")) == ("stress", "a scene")


def test_faults_are_listed_like_all_else() -> None:
    chosen, results = FAULTS[:3], command.load(command.kept())
    texts = {}
    for form in ("table", "json", "csv"):
        console = Console(width=110)
        with console.capture() as capture:
            command.listed(console, chosen, results, form)
        texts[form] = capture.get()
    whole = json.loads(texts["json"])
    assert [entry["name"] for entry in whole] == [fault.name for fault in chosen]
    for entry, line in zip(whole, texts["table"].splitlines()[2:], strict=False):
        assert (entry["found_by"], entry["how"]) == command.cells(
            next(fault for fault in chosen if fault.name == entry["name"]), results[entry["name"]]
        )
        assert line.startswith(entry["name"])
        assert entry["how"] in line
    read = list(csv.DictReader(io.StringIO(texts["csv"])))
    assert read == whole


def test_one_that_is_found_otherwise_than_expected_is_an_error() -> None:
    fault = next(fault for fault in FAULTS if fault.finder is Finder.TESTS)
    with pytest.raises(RunError, match=f"found otherwise than .*: {fault.name}$"):
        command.listed(Console(quiet=True), [fault], {fault.name: Result("", {}, "", "")}, "json")


def test_objects_become_as_they_were(tmp_path: Path) -> None:
    for folder in ("was", "is"):
        (tmp_path / folder / "in").mkdir(parents=True)
    (tmp_path / "was" / "in" / "kept.o").write_text("old")
    (tmp_path / "was" / "link").symlink_to("in/kept.o")
    subprocess.run(["cp", "-a", f"{tmp_path}/was/.", f"{tmp_path}/is"], check=True)
    (tmp_path / "is" / "in" / "kept.o").write_text("new and longer")
    (tmp_path / "is" / "more.o").write_text("new")
    (tmp_path / "is" / "link").unlink()
    workshop.renew(tmp_path / "is", tmp_path / "was")
    assert (tmp_path / "is" / "in" / "kept.o").read_text() == "old"
    assert (tmp_path / "is" / "link").readlink() == Path("in/kept.o")
    assert not (tmp_path / "is" / "more.o").exists()
    times = [(tmp_path / folder / "in" / "kept.o").stat().st_mtime_ns for folder in ("was", "is")]
    assert times[0] == times[1]
