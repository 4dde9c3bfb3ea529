# SPDX-License-Identifier: Apache-2.0
"""Runs of the policies' benchmark. Which pair or group is next is drawn: a seed a run."""

from collections.abc import Iterator, Mapping

from switchyard.experiments import l4, repeats
from switchyard.experiments.counted import Counted
from switchyard.run.build import BOARD, GUESTS, POLICIES, TAGS, Guest
from switchyard.run.experiment import Case, Experiment, Job, RunError, Settings, Stats

SHAPES = {"pairs": 1, "ring": 2, "groups": 3}
SPACES = (2, 4, 8, 12, 16, 20, 24, 32, 48, 64)
# A line each: the policies of fass, and the bound.
LINES = (*POLICIES, TAGS)
CASES = [(policy, shape, spaces) for policy in LINES for shape in SHAPES for spaces in SPACES]
GROUP = 4
# of each of the runs
BURSTS = 2_000 // repeats.RUNS
QUICK_BURSTS = 40
# Everything at once would be a flush of caches and TLBs for each message (section 2 of the FASS
# paper: 75,000 cycles at worst), and 100 messages a burst of pairs or groups; a ring has 4 a space.
CYCLES_A_MESSAGE = 75_000
CYCLES_TO_START = 800_000_000
RATES = ("domains_recycled", "cache_flushes", "tlb_flushes", "cpd_entries_loaded")


NAME = "{}-{}-{:02}"  # of a case's runs


def guest(policy: str) -> Guest:
    """The image with that policy, of which the first is the kernel's own, or with tags."""
    if policy == TAGS:
        return GUESTS[f"{BOARD}-{TAGS}-bench-policy"]
    name = "" if policy == POLICIES[0] else f"-{policy}"
    return GUESTS[f"{BOARD}-fass{name}-bench-policy"]


class L4Policy(Experiment[Counted]):
    """Recycling policies for pairs, rings and groups of 2 to 64 spaces."""

    name = "l4-policy"
    question = "Which domains should be recycled when there are more spaces than domains?"
    source = "Uhlig et al., Performance of Address-Space Multiplexing on the Pentium, section 5.2"
    system = l4.SYSTEM

    def jobs(self, settings: Settings) -> list[Job]:
        """A run a policy, shape, number of spaces and seed; rings have fewer, longer bursts."""
        bursts = settings.times(BURSTS, QUICK_BURSTS)
        jobs = []
        for policy, shape, spaces in CASES:
            n = max(bursts // 8, 1) if shape == "ring" else bursts
            messages = 2 * n * (4 * spaces + 1 if shape == "ring" else 34)
            jobs += [
                Job(
                    name=repeats.run_name(NAME.format(policy, shape, spaces), seed),
                    guest=guest(policy),
                    machine=l4.machine(policy),
                    append=f"shape={SHAPES[shape]} spaces={spaces} size={min(GROUP, spaces)} "
                    f"bursts={n} seed={seed}",
                    max_cycles=CYCLES_TO_START + messages * CYCLES_A_MESSAGE,
                    parameters={"policy": policy, "shape": shape, "spaces": spaces, "seed": seed},
                )
                for seed in repeats.seeds(settings)
            ]
        return jobs

    def measure(self, job: Job, stats: Stats) -> Counted:
        """For a round trip: two messages. How many there were is the sample of stream 2."""
        messages = stats.samples.get(2, [0])[0]
        if messages < 2:
            raise RunError(f"{job.name}: no number of messages from {job.guest.name} (stream 2)")
        return Counted.measured(stats, 1, messages // 2)

    def cases(self, samples: Mapping[str, Counted]) -> Iterator[Case]:
        """What a round trip took; rates for 1000 messages, of which a round trip is two."""
        runs = repeats.grouped(samples)
        for policy, shape, spaces in CASES:
            case = Counted.together(runs[NAME.format(policy, shape, spaces)])
            values = [
                ("round_trip", case.cycles, "cycles"),
                ("round_trip_runs", len(case.means), "1"),
                *repeats.uncertain("round_trip", case.interval),
                *((name, case.rates[name] * 500, "per_1000_ipc") for name in RATES),
            ]
            scheme = TAGS if policy == TAGS else "fass"
            yield Case(
                case.machine, scheme, {"policy": policy, "shape": shape, "spaces": spaces}, values
            )
