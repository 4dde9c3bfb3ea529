# SPDX-License-Identifier: Apache-2.0
"""Linux that switches address spaces fast, under stress: random work of many processes at once.

The program is linux/user/stress.c; the coherence checker watches. A failure says how to repeat it.
"""

import re
from dataclasses import replace

import pytest

from switchyard.run import build_linux, machine
from switchyard.run.build_linux import ARM920, SYSTEMS

pytestmark = pytest.mark.linux

FAST = ["linux-sa1110-fass", "linux-versatilepb-fass"]
MAX_CYCLES = 20_000_000_000
TEN_MINUTES = 200_000_000_000  # of simulated time, and what comes before and after
SCENES = {
    *("mappings", "large", "heap", "one-file", "futexes", "lent"),
    *("threads", "copied-meanwhile"),
    *("fork-storm", "many", "exec-storm", "vforks", "debugger", "signals"),
    *("swapped", "swapped-shared", "swap-off-and-on", "modules"),
}


def stress(name: str, words: str, max_cycles: int = MAX_CYCLES) -> None:
    """Plays scenes, all of which must come, and nothing be found."""
    system = (SYSTEMS | ARM920)[name]
    build_linux.ensure([system])
    boot = system.boot(max_cycles, f"quiet -- stress {words}")
    run = machine.run(replace(boot, check="coherence"))  # which findings fail
    text = run.console.replace("\r", "")
    assert "init: stress ended with status 0" in text, text[-4000:]
    assert not re.search(r"Oops|BUG:|WARNING:|cut here|Kernel panic", text), text[-4000:]
    played = {
        scene: int(times) for times, scene in re.findall(r"^stress: (\d+) times (\S+)$", text, re.M)
    }
    assert set(played) == SCENES
    assert all(played.values()), played
    assert f"RESULT steps={sum(played.values())} failed=0" in text
    assert run.stats.end.good, run.stats.end.message
    assert not run.stats.diagnostics


@pytest.mark.slow
@pytest.mark.guests
@pytest.mark.parametrize("name", FAST)
def test_nothing_is_lost_under_stress(name: str) -> None:
    stress(name, "seconds=2 seed=1")


@pytest.mark.long
@pytest.mark.guests
@pytest.mark.parametrize("name", [*FAST, "linux-versatile920-fass"])
def test_nothing_is_lost_under_ten_minutes_of_stress(name: str) -> None:
    stress(name, "seconds=600 seed=2026", TEN_MINUTES)
