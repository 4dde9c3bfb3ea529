# SPDX-License-Identifier: Apache-2.0
"""Which domains should be recycled? Policies side by side, for spaces that talk in several ways.

"We have so far not been able to come up with a reasonable scheduling policy that decreases the ASID
recycling frequency to a level suitable for deployment in a real system" (Uhlig et al., section 5.2,
where application groups are proposed instead). No value of this is published. Which pair or group
is next is drawn, so a point is five runs with a seed each. What no policy can beat is a machine
with hardware tags, where nothing is recycled.
"""

from collections.abc import Mapping, Sequence

from switchyard.build import BOARD, GUESTS, POLICIES, TAGS, Guest
from switchyard.errors import RunError
from switchyard.experiments import l4, repeats
from switchyard.experiments.counted import Counted
from switchyard.experiments.experiment import FromRuns, Job, Outcome, Settings, Table
from switchyard.machine import Stats
from switchyard.plot import Figure, Mark, Series
from switchyard.records import Record

MACHINE = "sa1110"
SYSTEM = "switchyard-l4"
SHAPES = {"pairs": 1, "ring": 2, "groups": 3}
SAID = {
    "pairs": "pairs: two call each other 16 times, then another pair does",
    "ring": "ring: a message goes round all of them",
    "groups": "groups of four: one calls the others 16 times, then another group does",
}
SPACES = (2, 4, 8, 12, 16, 20, 24, 32, 48, 64)
# A line each: the policies of fass, and the bound.
LINES = (*POLICIES, TAGS)
GROUP = 4
# of each of the runs
BURSTS = 2_000 // repeats.RUNS
QUICK_BURSTS = 40
# Everything at once would be a flush of caches and TLBs for each message (section 2 of the FASS
# paper: 75,000 cycles at worst), and 100 messages a burst of pairs or groups; a ring has 4 a space.
CYCLES_A_MESSAGE = 75_000
CYCLES_TO_START = 800_000_000
# A policy has to be this much better to be called better.
CLOSE = 0.02


def guest(policy: str) -> Guest:
    """The image with that policy, of which the first is the kernel's own, or with tags."""
    if policy == TAGS:
        return GUESTS[f"{BOARD}-{TAGS}-bench-policy"]
    name = "" if policy == POLICIES[0] else f"-{policy}"
    return GUESTS[f"{BOARD}-fass{name}-bench-policy"]


def job_name(policy: str, shape: str, spaces: int) -> str:
    """The name of a point, by which its runs are named."""
    return f"{policy}-{shape}-{spaces:02}"


class L4Policy(FromRuns[Counted]):
    """Recycling policies for pairs, rings and groups of 2 to 64 spaces."""

    name = "l4-policy"
    question = "Which domains should be recycled when there are more spaces than domains?"
    source = "Uhlig et al., Performance of Address-Space Multiplexing on the Pentium, section 5.2"

    def jobs(self, settings: Settings) -> list[Job]:
        """A run a policy, shape, number of spaces and seed; rings have fewer, longer bursts."""
        bursts = settings.rounds or (QUICK_BURSTS if settings.quick else BURSTS)
        made = []
        for policy in LINES:
            for shape, number in SHAPES.items():
                for spaces in SPACES:
                    n = max(bursts // 8, 1) if shape == "ring" else bursts
                    messages = 2 * n * (4 * spaces + 1 if shape == "ring" else 34)
                    size = min(GROUP, spaces)
                    made += [
                        Job(
                            name=repeats.run_name(job_name(policy, shape, spaces), seed),
                            guest=guest(policy),
                            machine=l4.machine(policy, MACHINE),
                            append=f"shape={number} spaces={spaces} size={size} bursts={n} "
                            f"seed={seed}",
                            max_cycles=CYCLES_TO_START + messages * CYCLES_A_MESSAGE,
                            parameters={
                                "policy": policy, "shape": shape, "spaces": spaces, "seed": seed,
                            },
                        )
                        for seed in repeats.seeds(settings)
                    ]  # fmt: skip
        return made

    def measure(self, job: Job, stats: Stats) -> Counted:
        """For a round trip: two messages. How many there were is the sample of stream 2."""
        messages = stats.samples.get(2, [0])[0]
        if messages < 2:
            raise RunError(f"{job.name}: no number of messages from {job.guest.name} (stream 2)")
        return Counted.measured(stats, 1, messages // 2)

    def outcome(self, points: Mapping[str, Counted]) -> Outcome:
        """Records, a table a shape, the figures and what they say."""
        runs = repeats.grouped(points)
        found = {
            (policy, shape): [
                Counted.together(runs[job_name(policy, shape, spaces)]) for spaces in SPACES
            ]
            for policy in LINES
            for shape in SHAPES
        }
        return Outcome(
            records=_records(found),
            tables=[_table(found, shape) for shape in SHAPES],
            figure=_figure(found, "groups"),
            notes=_notes(found),
            more={shape: _figure(found, shape) for shape in SHAPES if shape != "groups"},
        )


Found = Mapping[tuple[str, str], Sequence[Counted]]


def _records(found: Found) -> list[Record]:
    made = []
    for (policy, shape), points in found.items():
        for spaces, point in zip(SPACES, points, strict=True):
            for metric, value, unit in (
                ("round_trip", point.cycles, "cycles"),
                ("round_trip_runs", len(point.means), "1"),
                ("round_trip_uncertainty", point.interval.uncertainty, "1"),
                ("domains_recycled", _per_1000(point, "domains_recycled"), "per_1000_ipc"),
                ("cache_flushes", _per_1000(point, "cache_flushes"), "per_1000_ipc"),
                ("tlb_flushes", _per_1000(point, "tlb_flushes"), "per_1000_ipc"),
                ("cpd_entries_loaded", _per_1000(point, "cpd_entries_loaded"), "per_1000_ipc"),
            ):
                made.append(
                    Record(
                        experiment="l4-policy",
                        machine=point.machine,
                        system=SYSTEM,
                        scheme=TAGS if policy == TAGS else "fass",
                        metric=metric,
                        parameters={"policy": policy, "shape": shape, "spaces": spaces},
                        value=round(value, 6),
                        unit=unit,
                        published=None,
                    )
                )
    return made


def _per_1000(point: Counted, metric: str) -> float:
    """For 1000 messages: a round trip is two."""
    return point.rates[metric] * 500


def _table(found: Found, shape: str) -> Table:
    rows = []
    for i, spaces in enumerate(SPACES):
        row = [f"{spaces}"]
        for policy in POLICIES:
            point = found[policy, shape][i]
            row += [
                f"{'' if point.interval.stable else '≈ '}{point.cycles:.0f}",
                f"{_per_1000(point, 'domains_recycled'):.0f}",
                f"{_per_1000(point, 'cache_flushes'):.1f}",
                f"{_per_1000(point, 'tlb_flushes'):.0f}",
            ]
        bound = found[TAGS, shape][i]
        rows.append([*row, f"{'' if bound.interval.stable else '≈ '}{bound.cycles:.0f}"])
    return Table(
        title=f"{SAID[shape]}; cycles a round trip; for 1000 messages: domains recycled, cache and "
        "TLB flushes; ≈: unstable",
        columns=[
            "spaces",
            *(f"{p} {c}" for p in POLICIES for c in ("cycles", "rec.", "C", "T")),
            "hardware tags",
        ],
        rows=rows,
    )


def _figure(found: Found, shape: str) -> Figure:
    series = [
        Series(
            policy,
            "hardware tags (the bound)" if policy == TAGS else policy,
            [
                Mark(spaces, p.cycles, half=p.interval.half)
                for spaces, p in zip(SPACES, found[policy, shape], strict=True)
            ],
        )
        for policy in LINES
    ]
    worst = max(point.cycles for (_, s), points in found.items() if s == shape for point in points)
    ticks = [100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000]
    high = next((t for t in ticks if t >= worst * 1.1), ticks[-1])
    best = min(point.cycles for (_, s), points in found.items() if s == shape for point in points)
    low = max((t for t in ticks if t <= best * 0.95), default=ticks[0])
    return Figure(
        title=f"Recycling domains for spaces in {shape}",
        subtitle=[
            SAID[shape],
            f"StrongARM SA-1110 at 200 MHz, simulated machine {MACHINE}; scheme fass, 15 domains;",
            "bars: 95 % confidence interval of the mean, over the seeds",
        ],
        x_title="address spaces, beside the one that drives them (log scale)",
        y_title="round trip, cycles (log scale)",
        description=_alternative(found, shape),
        series=series,
        log_y=True,
        y_range=(low, high),
        y_ticks=[t for t in ticks if low <= t <= high],
        x_ticks=[2, 4, 8, 16, 32, 64],
        log_x=True,
    )


def _alternative(found: Found, shape: str) -> str:
    ends = ", ".join(
        f"{policy} {found[policy, shape][0].cycles:.0f} to {found[policy, shape][-1].cycles:.0f}"
        for policy in LINES
    )
    return (
        f"Line chart of cycles a round trip over {SPACES[0]} to {SPACES[-1]} spaces in {shape}, by "
        f"recycling policy: {ends}."
    )


def _notes(found: Found) -> list[str]:
    made = [_bookkeeping(found)]
    made.append(_choosing(found))
    made += [_shape(found, shape) for shape in SHAPES]
    made.append(_choice(found))
    made.append(_bound(found))
    return made + repeats.unsteady(
        (f"{policy}, {shape} of {spaces}", point.interval)
        for (policy, shape), points in found.items()
        for spaces, point in zip(SPACES, points, strict=True)
    )


def _bookkeeping(found: Found) -> str:
    """What a policy costs where nothing is recycled: two spaces."""
    base = found[POLICIES[0], "pairs"][0]
    said = []
    for policy in POLICIES[1:]:
        point = found[policy, "pairs"][0]
        said.append(
            f"{policy} {(point.cycles - base.cycles) / 2 + 0.0:+.1f}".replace("-0.0", "+0.0")
        )
    return (
        f"At each switch a policy adds, in cycles beside {POLICIES[0]}'s none (two spaces, where "
        f"nothing is recycled; a round trip has two switches): {', '.join(said)}."
    )


def _choosing(found: Found) -> str:
    """What a choice costs: in the longest ring every policy recycles one domain a message."""
    base = found[POLICIES[0], "ring"][-1]
    said = []
    for policy in POLICIES[1:]:
        point = found[policy, "ring"][-1]
        recycled = point.rates["domains_recycled"]
        if recycled > 0:
            said.append(f"{policy} {(point.cycles - base.cycles) / recycled:+.0f}")
    if not said:
        return "No ring was long enough for domains to be recycled."
    return (
        f"A choice costs, in cycles beside {POLICIES[0]}'s (ring of {SPACES[-1]}, work at the "
        f"switch included): {', '.join(said)}. Right after a flush code and data of the choice "
        "come from memory; affinity looks at all spaces that hold a domain."
    )


def _past(shape: str) -> list[int]:
    """The places in SPACES where domains run out: with the driver, more spaces than 15."""
    return [i for i, spaces in enumerate(SPACES) if spaces + 1 > 15 and shape in SHAPES]


def _mean(found: Found, policy: str, shape: str) -> float:
    """Of the cycles beyond 15 spaces, geometrically: each number of spaces counts alike."""
    product = 1.0
    places = _past(shape)
    for i in places:
        product *= found[policy, shape][i].cycles
    return float(product ** (1 / len(places)))


def _ranked(found: Found, shape: str) -> list[tuple[str, float]]:
    return sorted(((p, _mean(found, p, shape)) for p in POLICIES), key=lambda item: item[1])


def _shape(found: Found, shape: str) -> str:
    ranked = _ranked(found, shape)
    best = ranked[0][1]
    order = ", ".join(f"{policy} {mean / best:.2f}" for policy, mean in ranked)
    last = {policy: found[policy, shape][-1] for policy in POLICIES}
    rates = "; ".join(
        f"{policy} {_per_1000(last[policy], 'domains_recycled'):.0f} recycled with "
        f"{_per_1000(last[policy], 'cache_flushes'):.1f} cache and "
        f"{_per_1000(last[policy], 'tlb_flushes'):.0f} TLB flushes"
        for policy in POLICIES
    )
    return (
        f"{shape.capitalize()}, more than 15 spaces: cycles as a multiple of the best policy's "
        f"(geometric mean): {order}. For 1000 messages among {SPACES[-1]} spaces: {rates}."
    )


def _choice(found: Found) -> str:
    total = {}
    for policy in POLICIES:
        product = 1.0
        for shape in SHAPES:
            product *= _mean(found, policy, shape) / _ranked(found, shape)[0][1]
        total[policy] = product ** (1 / len(SHAPES))
    ranked = sorted(total.items(), key=lambda item: item[1])
    best, second = ranked[0], ranked[1]
    said = ", ".join(f"{policy} {value:.2f}" for policy, value in ranked)
    text = f"Over the three shapes (geometric mean of these multiples): {said}. "
    if best[0] == POLICIES[0]:
        text += f"{best[0]}, the kernel's default, is the best of them"
    elif total[POLICIES[0]] / best[1] - 1 < CLOSE:
        text += f"{POLICIES[0]}, the kernel's default, is within {CLOSE:.0%} of {best[0]}"
    else:
        text += (
            f"{best[0]} is better than the kernel's default, {POLICIES[0]}, by "
            f"{1 - best[1] / total[POLICIES[0]]:.0%}, beyond 15 spaces; below, its work at each "
            "switch is all that is seen of it"
        )
    return text + f". Second: {second[0]}."


def _bound(found: Found) -> str:
    """What no policy can save."""
    said = ", ".join(
        f"{shape} {found[TAGS, shape][-1].cycles:.0f} (the best policy "
        f"{min(found[policy, shape][-1].cycles for policy in POLICIES):.0f})"
        for shape in SHAPES
    )
    return (
        f"With hardware tags, where nothing is recycled, a round trip among {SPACES[-1]} spaces "
        f"takes these cycles: {said}."
    )
