# SPDX-License-Identifier: Apache-2.0
"""Policies side by side, a table and a figure for each way in which spaces talk."""

from collections.abc import Mapping
from statistics import geometric_mean

from switchyard.experiments.l4 import ABOUT, MACHINE
from switchyard.experiments.l4_policy.measure import LINES, SHAPES, SPACES
from switchyard.run.build import POLICIES, TAGS
from switchyard.show import declared as show

WHAT = {
    "pairs": "pairs: two call each other 16 times, then another pair does",
    "ring": "ring: a message goes round all of them",
    "groups": "groups of four: one calls the others 16 times, then another group does",
}
CYCLES = show.approx("round_trip", 0)
MET = {
    "cycles": CYCLES, "rec.": ("domains_recycled", 0), "C": ("cache_flushes", 1),
    "T": ("tlb_flushes", 0),
}  # fmt: skip
COLUMNS = {
    f"{p} {name}": show.under(p, column) for p in POLICIES for name, column in MET.items()
} | {"hardware tags": show.under(TAGS, CYCLES)}
AXES = show.Axes(
    "round trip, cycles over address spaces, beside the one that drives them", "xy", (0.95, 1.1),
    x_ticks=[2, 4, 8, 16, 32, 64],
)  # fmt: skip


def view(results: show.Results) -> show.View:
    at = results.rows.by("policy", "shape", "spaces")

    def multiples(shape: str) -> dict[str, float]:
        """By policy, of the best one's cycles, where domains run out: each number counts alike."""
        some = [spaces for spaces in SPACES if spaces + 1 > 15]  # with the driver
        means = {p: geometric_mean(at(p, shape, n)["round_trip"] for n in some) for p in POLICIES}
        return {policy: cycles / min(means.values()) for policy, cycles in means.items()}

    def told(by: Mapping[str, float]) -> str:
        ranked = sorted(by.items(), key=lambda item: item[1])
        return ", ".join(f"{policy} {value:.2f}" for policy, value in ranked)

    def counted(shape: str) -> show.Table:
        return show.table(
            f"{WHAT[shape]}; cycles a round trip; for 1000 messages: domains recycled, cache and "
            "TLB flushes; ≈: unstable",
            "spaces",
            {
                f"{n}": show.across(results.rows, "policy", LINES, shape=shape, spaces=n)
                for n in SPACES
            },
            COLUMNS,
        )

    def figure(shape: str) -> show.Figure:
        curves = {policy: [at(policy, shape, spaces) for spaces in SPACES] for policy in LINES}
        names = {policy: policy for policy in LINES} | {TAGS: "hardware tags (the bound)"}
        return show.lines(
            f"Recycling domains for spaces in {shape}",
            f"{WHAT[shape]}\n{ABOUT}, simulated machine {MACHINE}; scheme fass, 15 domains;\n"
            "bars: 95 % confidence interval of the mean, over the seeds",
            AXES,
            show.over({names[p]: curve for p, curve in curves.items()}, "spaces", "round_trip"),
        )

    best = {s: min(at(p, s, SPACES[-1])["round_trip"] for p in POLICIES) for s in SHAPES}
    by_shape = {shape: multiples(shape) for shape in SHAPES}
    overall = told({p: geometric_mean(by[p] for by in by_shape.values()) for p in POLICIES})
    name = "{policy}, {shape} of {spaces}"
    every = [(name.format(**row.where), row) for row in results.rows]
    figures = {"": figure("groups"), **{s: figure(s) for s in SHAPES if s != "groups"}}
    notes = show.unsteady(every, "round_trip")
    return show.View([counted(shape) for shape in SHAPES], figures, locals(), notes)
