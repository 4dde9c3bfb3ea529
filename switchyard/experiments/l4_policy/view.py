# SPDX-License-Identifier: Apache-2.0
"""Policies side by side, a table and a figure for each way in which spaces talk."""

from statistics import geometric_mean

from switchyard.data.rows import Row, unsteady
from switchyard.experiments.l4 import ABOUT, MACHINE
from switchyard.experiments.l4_policy.measure import LINES, SHAPES, SPACES
from switchyard.run.build import POLICIES, TAGS
from switchyard.show.figure import Figure, Series, Table, log_axis
from switchyard.show.views import Results, View

WHAT = {
    "pairs": "pairs: two call each other 16 times, then another pair does",
    "ring": "ring: a message goes round all of them",
    "groups": "groups of four: one calls the others 16 times, then another group does",
}
TICKS = (100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000)


def view(results: Results) -> View:
    """The same for each shape, and which policy is the best over all."""

    def at(policy: str, shape: str, spaces: int) -> Row:
        return results.rows.find(policy=policy, shape=shape, spaces=spaces)

    def mean(policy: str, shape: str) -> float:
        """Of the cycles where domains run out, with the driver: each number counts alike."""
        some = [spaces for spaces in SPACES if spaces + 1 > 15]
        return geometric_mean(at(policy, shape, spaces)["round_trip"] for spaces in some)

    def multiples(shape: str) -> dict[str, float]:
        """By policy, of the best one's."""
        means = {policy: mean(policy, shape) for policy in POLICIES}
        return {policy: cycles / min(means.values()) for policy, cycles in means.items()}

    def told(by: dict[str, float]) -> str:
        ranked = sorted(by.items(), key=lambda item: item[1])
        return ", ".join(f"{policy} {value:.2f}" for policy, value in ranked)

    def table(shape: str) -> Table:
        rows = []
        for spaces in SPACES:
            cells = [f"{spaces}"]
            for policy in POLICIES:
                row = at(policy, shape, spaces)
                cells += [
                    row.approx("round_trip", "{:.0f}".format),
                    f"{row['domains_recycled']:.0f}",
                    f"{row['cache_flushes']:.1f}",
                    f"{row['tlb_flushes']:.0f}",
                ]
            rows.append([*cells, at(TAGS, shape, spaces).approx("round_trip", "{:.0f}".format)])
        return Table(
            title=f"{WHAT[shape]}; cycles a round trip; for 1000 messages: domains recycled, cache "
            "and TLB flushes; ≈: unstable",
            columns=[
                "spaces",
                *(f"{p} {c}" for p in POLICIES for c in ("cycles", "rec.", "C", "T")),
                "hardware tags",
            ],
            rows=rows,
        )

    def figure(shape: str) -> Figure:
        curves = {policy: [at(policy, shape, spaces) for spaces in SPACES] for policy in LINES}
        cycles = [row["round_trip"] for curve in curves.values() for row in curve]
        y_range, y_ticks = log_axis(TICKS, cycles, 0.95, 1.1)
        ends = ", ".join(
            f"{policy} {curve[0]['round_trip']:.0f} to {curve[-1]['round_trip']:.0f}"
            for policy, curve in curves.items()
        )
        return Figure(
            title=f"Recycling domains for spaces in {shape}",
            subtitle=[
                WHAT[shape],
                f"{ABOUT}, simulated machine {MACHINE}; scheme fass, 15 domains;",
                "bars: 95 % confidence interval of the mean, over the seeds",
            ],
            x_title="address spaces, beside the one that drives them (log scale)",
            y_title="round trip, cycles (log scale)",
            description=f"Line chart of cycles a round trip over {SPACES[0]} to {SPACES[-1]} spaces"
            f" in {shape}, by recycling policy: {ends}.",
            series=[
                Series(
                    policy,
                    "hardware tags (the bound)" if policy == TAGS else policy,
                    [row.mark("spaces", "round_trip") for row in curve],
                )
                for policy, curve in curves.items()
            ],
            log_y=True,
            y_range=y_range,
            y_ticks=y_ticks,
            x_ticks=[2, 4, 8, 16, 32, 64],
            log_x=True,
        )

    by_shape = {shape: multiples(shape) for shape in SHAPES}
    overall = {
        policy: geometric_mean(by[policy] for by in by_shape.values()) for policy in POLICIES
    }
    words = {
        "at": at,
        "policies": POLICIES,
        "shapes": list(SHAPES),
        "most": SPACES[-1],
        "ranked": lambda shape: told(by_shape[shape]),
        "overall": told(overall),
        "least": lambda shape: min(at(p, shape, SPACES[-1])["round_trip"] for p in POLICIES),
    }
    every = [
        (f"{row.where['policy']}, {row.where['shape']} of {row.where['spaces']}", row)
        for row in results.rows
    ]
    figures = {"": figure("groups"), **{s: figure(s) for s in SHAPES if s != "groups"}}
    return View([table(shape) for shape in SHAPES], figures, words, unsteady(every, "round_trip"))
