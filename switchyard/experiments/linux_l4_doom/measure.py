# SPDX-License-Identifier: Apache-2.0
"""Runs of bench/unix/doom.c: one a system and boot."""

from collections.abc import Iterator, Mapping

from switchyard.experiments import linux_suite as suite
from switchyard.experiments.linux_l4_apps import BUILDING, FLIPS, Application
from switchyard.experiments.linux_suite import Run
from switchyard.run.experiment import Case, Experiment, Job, Settings, Stats

# (Where Linux is a server, half of its memory, to which it limits a tmpfs, does not hold the disk.)
DOOM = Application(
    "doom",
    {"frame": "A picture of Doom's"},
    boots=1,
    word="rootfstype=ramfs ",
    counted=BUILDING,
    events=FLIPS,
)
# Pictures of the recorded game.
ROUNDS, QUICK_ROUNDS = 100, 10


class LinuxL4Doom(Experiment[Run]):
    """4.8: a recorded game, as quickly as it can be drawn."""

    name = "linux-l4-doom"
    question = "What do small spaces save of a game whose pictures an X server shows?"
    source = "The paper on small spaces, 4.8 and Fig. 8"
    system = suite.SYSTEM
    digits = 3

    def jobs(self, settings: Settings) -> list[Job]:
        return DOOM.jobs(settings, f"rounds={settings.times(ROUNDS, QUICK_ROUNDS)}")

    def measure(self, job: Job, stats: Stats) -> Run:
        return DOOM.measure(job, stats)

    def cases(self, samples: Mapping[str, Run]) -> Iterator[Case]:
        return DOOM.cases(samples)
