# SPDX-License-Identifier: Apache-2.0
"""A stand-in for `switchyard-machine`, for tests of the package that need no processor.

It understands the arguments that the package uses and answers from a small formula, so that the
driver, the experiments' arithmetic, the figures and the command line are tested in milliseconds
and with known answers. The real simulator is tested by its own suites and by guests_test.
"""

import json
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path

CLOCK_HZ = 200_000_000
COUNTERS = (
    "cycles instructions icache_misses dcache_read_misses minicache_read_misses itlb_misses "
    "dtlb_misses fill_stall_cycles walk_stall_cycles write_buffer_stall_cycles idle_cycles "
    "trace_cache_misses trace_build_cycles l2_read_misses branch_mispredictions ttb_writes "
    "table_walks dtlb_invalidate_all"
).split()
PC = "isa-pc-"  # how the names of its guests begin

# Environment: a file that hears of each run, how many seconds a run takes, and words of a command
# line at which the guest dies.
LOG, HOLD, DEATH = "FAKE_MACHINE_LOG", "FAKE_MACHINE_HOLD", "FAKE_MACHINE_DEATH"
# Cycles that taking a sample takes by itself: in each sample, and alone in stream 0.
TIMING = 11
# What it takes on the PC from one sample to the next, alone in a stream of its own.
ITSELF, MEASURE_ITSELF = 83, "254"
READING = 650  # of the clock there
# The number of clients from which the formula recycles domains.
KNEE = 15


def round_trip(scheme: str, clients: int, i: int) -> int:
    """Cycles of round trip `i`: a mean that the tests can work out, and a spread around it."""
    if scheme == "flush":
        mean = 18_000
    elif scheme == "single-space":
        mean = 700 + 5 * clients
    elif scheme == "tags" or scheme.startswith("small-spaces"):
        mean = 750 + 6 * clients
    else:
        mean = 800 + 10 * clients + (400 * (clients - KNEE + 1) if clients >= KNEE else 0)
    return mean + (-20, 0, 20)[i % 3]


def counters(cycles: int, rounds: int, misses: int, flushes: int) -> dict[str, dict[str, int]]:
    user = dict.fromkeys(COUNTERS, 0)
    kernel = dict.fromkeys(COUNTERS, 0)
    kernel |= {
        "cycles": cycles,
        "instructions": 300 * rounds,
        "icache_misses": misses * rounds,
        "dcache_read_misses": 272 * flushes * rounds,
        "dtlb_misses": 2 * rounds,
        "fill_stall_cycles": (70 * misses + 18 * 272 * flushes) * rounds,
        "walk_stall_cycles": 2 * 45 * rounds,
    }
    return {"user": user, "kernel": kernel}


def bench_ipc(scheme: str, append: str) -> dict[str, object]:
    words = dict(word.split("=") for word in append.split())
    first, last = (int(n) for n in words["clients"].split("-"))
    rounds = int(words["rounds"])
    samples, regions, total = {"0": [TIMING] * 20}, [], 0
    for clients in range(first, last + 1):
        trips = [round_trip(scheme, clients, i) for i in range(rounds)]
        recycled = rounds // 4 if scheme.startswith("fass") and clients >= KNEE else 0
        events = {"1": 2 * rounds, "2": 2 * rounds} if scheme == "flush" else {}
        if recycled:
            events = {"1": recycled // 2, "2": recycled // 2, "3": recycled}
        samples[str(clients)] = [trip + TIMING for trip in trips]
        total += sum(trips)
        regions.append(
            {
                "id": clients,
                "entries": 1,
                "counters": counters(
                    sum(trips), rounds, *((100, 2) if scheme == "flush" else (3, 0))
                ),
                "events": events,
            }
        )
    return stats(total, regions, samples)


def one_way(kernel: str, words: int) -> int:
    """Cycles one way with so many words, or so many bytes if there are more than 64."""
    return (8_000 if "-flush-" in kernel else 60) + (words if words < 64 else words // 2)


# Cycles of user mode in a round of the benchmarks of single traps.
USER = 91


def traps(
    region: int, rounds: int, kernel: int, more: int = 0
) -> tuple[dict[str, object], list[int]]:
    """A region whose rounds spend `kernel` cycles in the kernel; one has a timer tick in it."""
    tick = 400 if rounds > 2 else 0
    samples = [kernel + USER + (tick if i == 2 else 0) for i in range(rounds)]
    counted = counters(0, rounds, 0, 0)
    counted["user"]["cycles"] = USER * rounds + 40
    counted["kernel"]["cycles"] = kernel * rounds + tick + more
    return {"id": region, "entries": 1, "counters": counted, "events": {}}, samples


def bench_size(kernel: str, append: str) -> dict[str, object]:
    given = dict(word.split("=") for word in append.split())
    first, _, last = given["words"].partition("-")
    lengths = {n: n for n in range(int(first), int(last or first) + 1)}
    regions, samples = [], {}
    for region in lengths:
        measured = traps(region, int(given["rounds"]), 2 * (one_way(kernel, region) - 1))
        regions.append(measured[0])
        samples[str(region)] = measured[1]
    for place, size in enumerate(given.get("strings", "").split(",")):
        if size:
            there, back = one_way(kernel, int(size) + 64), one_way(kernel, 0)
            measured = traps(64 + place, int(given["rounds"]), there + back - 2)
            regions.append(measured[0])
            samples[str(64 + place)] = measured[1]
    return stats(1_000_000, regions, samples)


# Cycles of the primitives, by place in the guest's table: kernel's part of a round, traps in it.
PRIMITIVES = {0: (21, 1), 1: (245, 1), 2: (85, 2), 3: (55, 2), 6: (66, 2)}
PAGE_FAULT, NOTHING = 850, 18


def bench_primitives(append: str) -> dict[str, object]:
    given = dict(word.split("=") for word in append.split())
    rounds = int(given["rounds"])
    regions, samples = [], {}
    for region, (cycles, number) in PRIMITIVES.items():
        measured = traps(region, rounds, number * (cycles - 1))
        regions.append(measured[0])
        samples[str(region)] = measured[1]
    if given["fault"] == "1":
        samples["4"] = [PAGE_FAULT + NOTHING] * (rounds - 1) + [30_000]
    samples["5"] = [NOTHING] * rounds
    return stats(1_000_000, regions, samples)


def bench_policy(kernel: str, append: str) -> dict[str, object]:
    """A round trip is 400 cycles, and 1000 more for each space beyond 15; lru adds 20."""
    words = {key: int(value) for key, value in (word.split("=") for word in append.split())}
    messages = words["bursts"] * 34
    beyond = 0 if "-tags-" in kernel else max(words["spaces"] - 15, 0)
    cycles = (400 + 1000 * beyond + (20 if "-lru-" in kernel else 0)) * messages // 2
    events = {"1": messages // 10, "2": messages // 5, "3": messages // 5} if beyond else {}
    region = {"id": 1, "entries": 1, "counters": counters(cycles, messages // 2, 3, 0)}
    return stats(cycles, [region | {"events": events}], {"1": [cycles], "2": [messages]})


def bench_extreme(kernel: str, append: str) -> dict[str, object]:
    """A turn is 300 cycles and 10 a page; 90 more for each page that the TLB cannot hold."""
    words = {key: int(value) for key, value in (word.split("=") for word in append.split())}
    turns, pages = words["rounds"] * words["processes"], words["pages"]
    shares = words["shared"] == 1 and "fass-shared" in kernel
    missed = pages if pages > (22 if shares else 10) else 0
    cycles = (300 + 10 * pages + 90 * missed) * turns
    region = {"id": 1, "entries": 1, "counters": counters(cycles, turns, missed, 0)}
    return stats(cycles, [region | {"events": {}}], {"1": [cycles]})


def bench_collisions(kernel: str, append: str) -> dict[str, object]:
    """A hop is 10,000 cycles with a flush, 200 without; fass flushes if anything collides."""
    words = {key: int(value) for key, value in (word.split("=") for word in append.split())}
    hops, colliding = words["hops"], words["colliding"]
    flushes = "-tags-" not in kernel and ("-flush-" in kernel or colliding > 0)
    indifferent = "-flush-" in kernel or "-tags-" in kernel
    each = (10_000 if flushes else 200) + (0 if indifferent else 100 * colliding)
    region = {"id": 1, "entries": 1, "counters": counters(each * hops, hops, 2, 0)}
    events = {"1": hops if flushes else 0}
    return stats(each * hops, [region | {"events": events}], {"1": [each * hops], "2": [hops]})


def bench_pingpong(kernel: str, append: str) -> dict[str, object]:
    """500 cycles a round and 10 a unit; of a large space 2000 more, and 20 a unit up to 8192."""
    words = dict(word.split("=") for word in append.split())
    first, _, last = words["sizes"].partition("-")
    steps = range(int(first), int(last) + 1) if last else map(int, first.split(","))
    rounds, regions, samples = int(words["rounds"]), [], {}
    for place, step in enumerate(steps):
        size = step * int(words["step"])
        cycles = 500 + 10 * size
        if "-flush-" in kernel:
            cycles += 2000 + 20 * (size if size <= 8192 else 0)
        counted = counters(5 * cycles * rounds, 5 * rounds, 0, 0)
        counted["kernel"]["trace_cache_misses"] = 5 * size * rounds
        regions.append({"id": place, "entries": 1, "counters": counted, "events": {}})
        samples[str(place)] = [cycles * rounds] * 4 + [cycles * rounds + 9000]
    return stats(1_000_000, regions, samples)


def bench_spaces(kernel: str, append: str) -> dict[str, object]:
    """As `bench_ipc` in the mean, one of the spaces being the server's."""
    words = dict(word.split("=") for word in append.split())
    schemes = ("flush", "single-space", "small-spaces", "fass-shared", "fass", "tags")
    scheme = next(known for known in schemes if known in kernel)
    rounds, regions, samples = int(words["rounds"]), [], {}
    for n in map(int, words["spaces"].split(",")):
        cycles = round_trip(scheme, n - 1, 1)
        flushes = 2 if scheme == "flush" else 0
        counted = counters(5 * cycles * rounds, 5 * rounds, 60 if flushes else 1, flushes)
        recycled = rounds if scheme.startswith("fass") and n > KNEE else 0
        events = {"1": 5 * flushes * rounds, "3": recycled}
        regions.append({"id": n, "entries": 1, "counters": counted, "events": events})
        samples[str(n)] = [cycles * rounds] * 4 + [cycles * rounds + 9000]
    return stats(1_000_000, regions, samples)


def bench_revocation(append: str) -> dict[str, object]:
    """Taken in 5000 cycles and 100 a space, cold thrice that; given back in 4000. One is late."""
    words = dict(word.split("=") for word in append.split())
    rounds, regions, samples = int(words["rounds"]), [], {}
    for n in map(int, words["spaces"].split(",")):
        cycles = 5000 + 100 * n
        for stream, each in ((n, cycles), (64 + n, 4000), (128 + n, 3 * cycles)):
            samples[str(stream)] = [each + READING] * (rounds - 1) + [each + 30_000]
            counted = counters(each * rounds, rounds, 0, 0)
            regions.append({"id": stream, "entries": rounds, "counters": counted, "events": {}})
    return stats(1_000_000, regions, samples)


def stats(
    cycles: int, regions: Sequence[object], samples: dict[str, list[int]]
) -> dict[str, object]:
    return {
        "schema": 1,
        "machine": "sa1110",
        "clock_hz": CLOCK_HZ,
        "end": {"kind": "exit", "status": 0, "message": ""},
        "cycles": cycles,
        "instructions": cycles // 2,
        "counters": counters(cycles, 1, 1, 0),
        "events": {},
        "regions": regions,
        "samples": samples,
        "diagnostics": [],
    }


def wait_while_held(number: int) -> None:
    """`HOLD` names a file that says how many runs, of those in the log, end while it is there."""
    hold = Path(os.environ.get(HOLD, "nowhere"))
    while hold.exists() and number > int(hold.read_text()):
        time.sleep(0.02)


def main(arguments: list[str]) -> int:
    if arguments[0] == "machines":
        print(json.dumps([{"name": "sa1110", "description": "a stand-in"}]))
        return 0
    options = dict(zip(arguments[1::2], arguments[2::2], strict=True))
    kernel = options["--kernel"]
    described = options["--machine"]
    if described.endswith(".toml") and "ways = 3\n" in Path(described).read_text():
        print(f"switchyard-machine: {described}: dcache.ways: 3; expected 4", file=sys.stderr)
        return 2
    if LOG in os.environ and "--append" in options:
        with open(os.environ[LOG], "a") as log:
            log.write(options.get("--append", "") + "\n")
            log.flush()
            # Others may have written since.
            number = Path(os.environ[LOG]).read_bytes()[: log.tell()].count(b"\n")
        wait_while_held(number)
    if os.environ.get(DEATH, "nowhere") in options.get("--append", ""):
        kernel = "dies"
    if "refused" in kernel:
        print(f"switchyard-machine: {kernel}: no image; expected an ELF file", file=sys.stderr)
        return 2
    if "dies" in kernel:
        for i in range(40):
            print(f"console line {i}")
        print("switchyard-machine: the guest died at pc 0x8000", file=sys.stderr)
        return 1
    if "bench-size" in kernel:
        answer = bench_size(kernel, options["--append"])
    elif "bench-primitives" in kernel:
        answer = bench_primitives(options["--append"])
    elif "bench-ipc" in kernel:
        schemes = ("flush", "single-space", "small-spaces", "fass-shared", "fass", "tags")
        scheme = next(known for known in schemes if known in kernel)
        answer = bench_ipc(scheme, options["--append"])
    elif "bench-pingpong" in kernel:
        answer = bench_pingpong(kernel, options["--append"])
    elif "bench-spaces" in kernel:
        answer = bench_spaces(kernel, options["--append"])
    elif "bench-revocation" in kernel:
        answer = bench_revocation(options["--append"])
    elif "bench-policy" in kernel:
        answer = bench_policy(kernel, options["--append"])
    elif "bench-collisions" in kernel:
        answer = bench_collisions(kernel, options["--append"])
    elif "bench-extreme" in kernel:
        answer = bench_extreme(kernel, options["--append"])
    else:
        answer = stats(1_000_000, [], {})
    if not described.endswith(".toml"):
        answer["machine"] = described
    if PC in kernel:
        answer["samples"][MEASURE_ITSELF] = [ITSELF] * 9  # type: ignore[index]
    print("hello from the guest")
    if "--stats" in options:
        with open(options["--stats"], "w") as file:
            json.dump(answer, file)
    if "--host-time" in options:
        with open(options["--host-time"], "w") as file:
            json.dump({"seconds": 0.01}, file)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
