# SPDX-License-Identifier: Apache-2.0
"""Requests to a web server of the suite's, from a second machine in step (servers/requests.c)."""

from dataclasses import replace

from switchyard.run.build import BARE, GUESTS, PC, REQUESTS
from switchyard.run.experiment import Job

WARMUP = 10
# Of the server; the other machine has the next one.
ADDRESS = "10.0.0.1"


def words(rounds: int) -> str:
    """What the suite is told."""
    return f"rounds={rounds} warmup={WARMUP} address={ADDRESS}"


def asked(job: Job, rounds: int) -> Job:
    """With the other machine, which asks as often for each size of the working set."""
    return replace(
        job, peer=GUESTS[f"{PC}-{BARE}-{REQUESTS}"], peer_append=f"count={WARMUP + rounds}"
    )


def apache_asked(job: Job, rounds: int) -> Job:
    """Likewise for Apache: one more, as that looks after a connection's end before it ends."""
    more = asked(job, rounds + 1)
    return replace(more, peer_append=f"sizes=0 {more.peer_append}")
