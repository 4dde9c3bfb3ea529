# SPDX-License-Identifier: Apache-2.0
"""What is found in a window, and how instructions are written, from windows made up."""

from collections.abc import Sequence

from switchyard.show.explore import events
from switchyard.show.explore.listing import Disassembler, Names, cp15
from switchyard.show.explore.window import Step, Table, Taken, Window

TABLES = (
    Table("instruction cache", "cache", 16, 32, 32, ["address"]),
    Table("data TLB", "tlb", 1, 32, 0, ["address", "physical", "size", "domain"]),
    Table("page directory", "directory", 1, 4096, 1 << 20, ["address", "descriptor"]),
)
SYSTEM = ("ttb", "dacr", "pid")
TTB, DACR, PID = range(3)
SWI = Taken("swi", 0x8000, {})


def window(steps: Sequence[Step], user: bool = True) -> Window:
    return Window(
        "sa1110", 200_000_000, True, (), ("r0",), SYSTEM, TABLES, 100, user, (0,), (0x4000, 5, 0),
        {}, steps,
    )  # fmt: skip


def message(flushes: int) -> Window:
    """A traps, the kernel does so many steps more, and B resumes, which traps as well."""
    steps = [
        Step(101, 0x7FFC, "e1a00000", user=True),
        Step(104, 0x8000, "ef000000", exception=SWI),
        *(Step(110 + n, 0xFFFF_0000, "e1a00000") for n in range(flushes)),
        Step(150, 0xFFFF_0004, "ee020f10", system={TTB: 0x8000}),
        Step(153, 0xFFFF_0008, "e1b0f00e", user=True),
        Step(154, 0x9000, "e1a00000", user=True),
        Step(157, 0x9004, "ef000000", exception=Taken("swi", 0x9004, {})),
    ]
    return window(steps)


def test_spaces_are_in_the_order_in_which_their_programs_run() -> None:
    assert events.spaces(message(3)) == {(0x4000, 0): 5, (0x8000, 0): 5}


def test_marks_say_who_goes_where() -> None:
    named = [(mark.step, mark.name) for mark in events.marks(message(2))]
    assert named == [(1, "A calls"), (5, "B resumes"), (7, "B calls")]


def test_windows_are_aligned_where_programs_do_the_same() -> None:
    pairs = events.aligned([message(2), message(9)])
    names = ["begin", "A calls", "B resumes", "end"]
    assert pairs == list(zip([(0, 0), (2, 2), (6, 13), (8, 15)], names, strict=True))
    other = window([Step(101, 0x7FFC, "e1a00000", user=True)])
    assert events.aligned([message(2), other]) == [((0, 0), "begin"), ((8, 1), "end")]
    assert [at for at, _ in events.aligned([message(2)])] == [(0,), (2,), (6,), (8,)]


def test_a_flush_is_all_of_its_function() -> None:
    cached = {(0, 3): (), (0, 4): (), (1, 9): ()}
    steps = [
        Step(110, 0x100, "e1a00000"),
        Step(120, 0x200, "e1a00000", counted={"dcache_writebacks": 2}),
        Step(130, 0x204, "ee070f17", counted={"icache_invalidate_all": 1}, places=cached),
        Step(140, 0x208, "e1a00000"),
        Step(150, 0x104, "e1a00000"),
    ]
    listed = events.events(window(steps, user=False), lambda pc: "flush" if pc >= 0x200 else "")
    assert [
        (event.kind, event.first, event.last, event.cycles)
        for event in listed
        if event.kind == "flush"
    ] == [("flush", 1, 3, 30)]
    (text,) = (event.text for event in listed if event.kind == "flush")
    assert text == "2 half lines written back, 2 lines invalidated, 1 translation invalidated"


def test_two_writes_are_one_switch() -> None:
    steps = [
        Step(101, 0x100, "ee030f10", system={DACR: 0x41}),
        Step(102, 0x104, "ee0d0f10", system={PID: 0x2000000}),
        Step(103, 0x108, "e1a00000", places={(2, 5): (0x500000, 0x41)}),
    ]
    listed = events.events(window(steps, user=False), lambda _pc: "")
    assert [(event.kind, event.text, event.cycles) for event in listed] == [
        ("switch", "dacr 00000041, pid slot 1", 2),
        ("directory", "1 change of the page directory", 1),
    ]


def test_faults_are_told_from_calls() -> None:
    taken = Taken("data_abort", 0x8000, {"fault": "Translation"})
    listed = events.events(window([Step(140, 0x8000, "e5900000", exception=taken)]), lambda _pc: "")
    assert [(event.kind, event.text) for event in listed] == [
        ("fault", "data_abort, fault Translation")
    ]  # fmt: skip


def test_instructions_are_in_words() -> None:
    arm, names = Disassembler(["ttb"]), Names([])
    assert arm.text(0x8000, "e12fff1e", names) == "bx lr"
    assert arm.text(0x8000, "e589a000", names) == "str r10, [r9]"
    assert arm.text(0x8000, "4770", names) == "bx lr"
    assert arm.text(0x8000, "ee030f10", names).startswith("dacr = r0  ; mcr p15")
    assert arm.text(0x8000, "ffffffff", names) == "? ffffffff"
    assert Disassembler(["cr3"]).text(0x1000, "0f22d8", names) == "mov cr3, eax"


def test_operations_of_the_coprocessor_are_named() -> None:
    assert cp15("mcr p15, #0, r0, c8, c7, #0") == "empty both TLBs"
    assert cp15("mrc p15, #0, r1, c2, c0, #0") == "r1 = ttb"
    assert cp15("mov r0, r1") == ""


def test_a_kernel_that_closes_domains_to_itself_switches_nothing() -> None:
    """Linux: DACR 1 in the kernel, 5 to read what a program points to, the program's at the end."""

    def stay(back: int) -> list[Step]:
        steps = [Step(101, 0x8000, "ef000000", exception=SWI)]
        for number, dacr in enumerate((1, 5, 1, back)):
            steps += [Step(110 + 30 * number, 0x100, "ee030f10", system={DACR: dacr})]
            steps += [Step(111 + 30 * number + n, 0x200, "e1a00000") for n in range(events.APART)]
        return [*steps, Step(300, 0x104, "e1b0f00e", user=True)]

    found = [
        [event.text for event in events.events(window(stay(back)), lambda _pc: "")]
        for back in (5, 0x41)
    ]
    assert found == [["A calls"], ["A calls", "dacr 00000041"]]


def test_functions_that_a_flush_calls_are_part_of_it() -> None:
    """Linux: the caches' operation, the loop that cleans, and the TLBs', in three functions."""
    steps = [
        Step(110, 0x100, "e1a00000"),
        Step(130, 0x200, "ee070f17", counted={"icache_invalidate_all": 1}),
        *(Step(140 + n, 0x300, "e1a00000", counted={"dcache_writebacks": 1}) for n in range(40)),
        Step(190, 0x204, "ee080f17", counted={"dtlb_invalidate_all": 1}),
        Step(200, 0x104, "e1a00000"),
    ]
    names = {1: "schedule", 2: "switch_mm", 3: "__flush_whole_cache"}
    listed = events.events(window(steps, user=False), lambda pc: names[pc >> 8])
    flushes = [(event.first, event.last) for event in listed if event.kind == "flush"]
    assert flushes == [(1, 42)]
