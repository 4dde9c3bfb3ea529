# SPDX-License-Identifier: Apache-2.0
import copy
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchyard.errors import InputError, RunError
from switchyard.run import machine
from switchyard.run.machine import Boot, Stats
from switchyard.tests import fake_machine as fake

GOOD: dict[str, Any] = fake.bench_ipc("fass", "clients=14-15 rounds=12 warmup=0 seed=1")


def changed(path: str, value: object) -> str:
    """The good statistics as text, with one field replaced; None removes it."""
    copied = copy.deepcopy(GOOD)
    *above, last = path.split("/")
    place: Any = copied
    for name in above:
        place = place[int(name)] if isinstance(place, list) else place[name]
    if value is None:
        del place[last]
    else:
        place[last] = value
    return json.dumps(copied)


def test_everything_is_read() -> None:
    stats = Stats.parse(json.dumps(GOOD), "f")
    assert stats.machine == "sa1110"
    assert stats.end.good
    assert stats.microseconds(2000) == 10.0
    trips = [fake.round_trip("fass", 15, i) for i in range(12)]
    assert stats.samples[15] == [trip + fake.TIMING for trip in trips]
    region = stats.region(15)
    assert region.event(3) == 3
    assert region.event(9) == 0
    assert region.counters.total("cycles") == sum(trips)
    assert region.counters.total("icache_misses", "dtlb_misses") == 12 * (3 + 2)
    with pytest.raises(RunError, match="region 99"):
        stats.region(99)
    with pytest.raises(InputError, match="counter speed"):
        region.counters.total("speed")


@pytest.mark.parametrize(
    ("path", "value", "named"),
    [
        ("schema", 2, "schema"),
        ("schema", None, "schema"),
        ("clock_hz", 0, "clock_hz"),
        ("cycles", -1, "cycles"),
        ("cycles", 1.0, "cycles"),
        ("end", [], "end"),
        ("end/kind", 3, "kind"),
        ("counters/user", None, "user"),
        ("counters/kernel/cycles", "many", "cycles"),
        ("regions", {}, "regions"),
        ("regions/1/id", None, "regions[1]"),
        ("regions/0/events", {"x": 1}, "x"),
        ("samples/14", [1, -2], "14"),
        ("samples/14", [True], "14"),
        ("diagnostics", ["?"], "diagnostics[0]"),
    ],
)
def test_a_wrong_field_is_named(path: str, value: object, named: str) -> None:
    with pytest.raises(InputError) as caught:
        Stats.parse(changed(path, value), "s.json")
    message = str(caught.value)
    assert message.startswith("s.json: ")
    assert named in message
    assert "expected" in message


@given(st.recursive(st.none() | st.integers() | st.text(), lambda inner: st.lists(inner)))
def test_other_json_is_refused(value: object) -> None:
    with pytest.raises(InputError):
        Stats.parse(json.dumps(value), "f")


@pytest.mark.usefixtures("fake_machine")
def test_run_gives_statistics_console_and_time() -> None:
    boot = Boot("sa1110", Path("assabet-flush-bench-ipc.elf"), "clients=2-2 rounds=6 seed=1")
    done = machine.run(boot)
    assert done.console == "hello from the guest\n"
    assert done.host_seconds == 0.01
    assert done.stats == Stats.parse(done.text, "f")
    assert len(done.stats.samples[2]) == 6


@pytest.mark.usefixtures("fake_machine")
def test_a_dead_guest_is_reported_with_its_last_lines() -> None:
    with pytest.raises(RunError) as caught:
        machine.run(Boot("sa1110", Path("dies.elf"), "x=1"))
    message = str(caught.value)
    assert message.startswith("dies.elf on sa1110: the guest failed (status 1)")
    assert "died at pc 0x8000" in message
    assert "x=1" in message
    assert "| console line 39" in message
    assert "console line 10" not in message


@pytest.mark.usefixtures("fake_machine")
def test_the_simulators_refusal_is_passed_on() -> None:
    with pytest.raises(InputError, match="expected an ELF file"):
        machine.run(Boot("sa1110", Path("refused")))


def test_a_missing_simulator_is_one_line(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(machine.OVERRIDE, str(tmp_path))
    with pytest.raises(InputError, match="expected the path of an executable"):
        machine.binary()
    monkeypatch.delenv(machine.OVERRIDE)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("sys.executable", str(tmp_path / "python"))
    with pytest.raises(InputError, match="make setup"):
        machine.binary()


def test_only_what_is_asked_for_is_passed() -> None:
    assert Boot("m", Path("k")).arguments() == ["boot", "--machine", "m", "--kernel", "k"]
    full = Boot("m", Path("k"), "a b", 5).arguments()
    assert full[-4:] == ["--append", "a b", "--max-cycles", "5"]
