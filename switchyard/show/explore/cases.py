# SPDX-License-Identifier: Apache-2.0
"""What is worth looking at: guests, and the windows of their runs."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from switchyard.errors import InputError, one_of
from switchyard.experiments import l4, l4_pc
from switchyard.run import build
from switchyard.run.build import ARCHITECTURES, BOARD, PC, Guest

SCHEMES = ("flush", "fass")
WITHOUT_DOMAINS = ("flush", "single-space", "tags")
# Steps of a window; a page of so many is still quick, and below 2 MB.
MOST = 20_000
# What there is to see in the cases as they are by themselves, in turn.
LOOK = {
    "ipc": (
        "Two spaces, one address: a cache that goes by virtual addresses cannot tell whose line it "
        "has. With flush it need not, as it is empty after each switch. See it being emptied: this "
        "processor has no operation that cleans its data cache, so the kernel reads zeros until "
        "each dirty line was pushed out, and only then empties all of it.",
        "The switch itself is one register, ttb. The next program then finds nothing: its first "
        "instructions wait for their lines, and for walks through the page tables.",
        "With fass two registers are written, DACR and PID. The other program's lines stay, and so "
        "do its translations: hatched, as the DACR denies their domain.",
        "Fills and walks behind a flush are its price, too; the table above has them.",
    ),
    "recycle": (
        "On the left the client has a domain: the DACR opens it, and that is all.",
        "On the right it has none. The kernel takes another space's: that one's entry goes from "
        "the page directory, and all translations are forgotten, as some carry its number.",
        "The caches keep their lines, dirty ones too. They are flushed only when another space "
        "takes a megabyte that has lines.",
        "Then the client faults, as the directory has no entry for it yet, and the kernel copies "
        "what it needs.",
    ),
    "pagefault": (
        "The load fails: a walk has found nothing, and has taken as long as any other.",
        "A fault is a message. See the switch to the pager and the one back: with flush, both "
        "empty everything, for one page.",
        "The kernel's own work, the mapping, is the longest stretch with fass, and hardly to be "
        "found with flush.",
    ),
    "small-spaces": (
        "On the left CR3 is loaded: all translations but the kernel's are forgotten, and with them "
        "the trace cache. The next program's first instructions wait for walks, and are decoded "
        "anew.",
        "On the right the next program lies in a corner of the same page directory. Its segments "
        "are loaded, which end where its corner ends; nothing is forgotten.",
        "The lines of the caches stay on both sides: they go by physical addresses.",
    ),
}


@dataclass(frozen=True)
class Side:
    """A run, and the window of it: moments as the simulator takes them (`--from`, `--to`)."""

    label: str
    machine: str
    kernel: Path
    append: str = ""
    begin: Sequence[str] = ()
    having: Sequence[str] = ()
    end: Sequence[str] = ()
    symbols: Sequence[Path] = ()
    bios: str = ""  # of a RISC-V
    guest: Guest | None = None  # what must be built for it


@dataclass(frozen=True)
class Case:
    """What a page shows: one run, or two side by side."""

    name: str
    title: str
    about: str
    sides: Sequence[Side] = field(default_factory=list)
    look: Sequence[str] = ()  # what there is to see, in turn


@dataclass(frozen=True)
class Wish:
    """What is asked for of a case: empty is its own choice."""

    schemes: Sequence[str] = ()
    machine: str = ""
    begin: Sequence[str] = ()
    having: Sequence[str] = ()
    end: Sequence[str] = ()
    symbols: Sequence[Path] = ()
    bios: str = ""


def _side(
    scheme: str,
    program: str,
    append: str,
    moments: tuple[str, str],
    wish: Wish,
    label: str = "",
    board: str = BOARD,
) -> Side:
    """A benchmark of L4 under a scheme, from one sample to the next."""
    name = f"{board}-{scheme}-{program}"
    arch = build.ON_BOARDS[board][0]
    if name not in build.GUESTS:
        known = [known.name for known in ARCHITECTURES[arch].schemes]
        raise InputError(f"--scheme {scheme}: unknown; {one_of(scheme, known)}")
    guest = build.GUESTS[name]
    programs = guest.place / "build" / "bench"
    partner = programs / arch / f"{program}-partner.elf"
    return Side(
        label=label or l4.called(scheme),
        machine=wish.machine or (l4_pc.MACHINE if board == PC else l4.machine(scheme)),
        kernel=guest.image,
        append=append,
        begin=wish.begin or moments[0].split(),
        having=wish.having,
        end=wish.end or moments[1].split(),
        symbols=[*wish.symbols, programs / board / f"{program}.elf", partner],
        guest=guest,
    )


def _look(name: str, wish: Wish) -> Sequence[str]:
    return () if wish != Wish() else LOOK[name]


def ipc(wish: Wish) -> Case:
    """A message and its answer."""
    append, moments = "clients=2 rounds=40 warmup=200", ("region:2 sample:2*20", "sample:2")
    return Case(
        "ipc",
        "A message to another address space, and the answer",
        "A server calls a client, which answers at once: two switches. The same has happened 200 "
        "times before. Under flush the last switch has emptied caches and TLBs, under fass they "
        "are as full as they get; the first sentence below counts it.",
        [_side(scheme, "bench-ipc", append, moments, wish) for scheme in wish.schemes or SCHEMES],
        _look("ipc", wish),
    )


def recycle(wish: Wish) -> Case:
    """A message where there are more spaces than domains."""
    scheme = wish.schemes[0] if wish.schemes else "fass"
    if scheme in WITHOUT_DOMAINS:
        raise InputError(f"--scheme {scheme}: recycles no domains; expected one such as fass")
    few = ("region:14 sample:14*20", "sample:14")
    many = ("region:24 sample:24*20", "sample:24")
    append = "clients={} rounds=400 warmup=200"
    sides = [
        _side(scheme, "bench-ipc", append.format(14), few, wish, "14 clients"),
        _side(scheme, "bench-ipc", append.format(24), many, wish, "24 clients"),
    ]
    # L4's event 3: a domain is taken from a space that had it
    sides[1] = replace(sides[1], having=wish.having or ["event:3"])
    return Case(
        "recycle",
        f"A domain is recycled: {scheme}",
        "The processor has 16 domains, and the kernel keeps one. Up to 14 clients and their server "
        "have a domain each; of 24 some have none when they are called: the one on the right takes "
        "another's.",
        sides,
        _look("recycle", wish),
    )


def pagefault(wish: Wish) -> Case:
    """A page that is missing."""
    # region 4 is its page faults; after each sixteenth all pages are taken away again
    append, moments = "rounds=40 warmup=20", ("region:4 sample:4*9", "sample:4")
    return Case(
        "pagefault",
        "A page fault, served by a pager in another address space",
        "A program reads a page that it does not have. The kernel sends a message to its pager, "
        "which answers with a page of its own; the kernel maps it, and the program goes on.",
        [
            _side(scheme, "bench-primitives", append, moments, wish)
            for scheme in wish.schemes or SCHEMES
        ],
        _look("pagefault", wish),
    )


def small_spaces(wish: Wish) -> Case:
    """A message and its answer on a Pentium 4."""
    append, moments = "clients=2 rounds=40 warmup=200", ("region:2 sample:2*20", "sample:2")
    return Case(
        "small-spaces",
        "A message on a Pentium 4, to a large space and to a small one",
        "A server calls a client, which answers at once: two switches, as they come after 200 "
        "others.",
        [
            _side(scheme, "bench-ipc", append, moments, wish, board=PC)
            for scheme in wish.schemes or ("flush", "small-spaces")
        ],
        _look("small-spaces", wish),
    )


CASES = {
    "ipc": ipc,
    "recycle": recycle,
    "pagefault": pagefault,
    "small-spaces": small_spaces,
}


def find(name: str, wish: Wish) -> Case:
    """The case of that name."""
    if name not in CASES:
        raise InputError(f"--case {name}: unknown; {one_of(name, CASES)}")
    return _two(CASES[name](wish))


def own(kernels: Sequence[Path], append: str, machine: str, wish: Wish) -> Case:
    """The user's own images."""
    if not wish.begin:
        raise InputError("--from: missing; expected a moment, such as a function or user*10")
    sides = [
        Side(
            kernel.stem,
            machine,
            kernel,
            append,
            wish.begin,
            wish.having,
            wish.end,
            wish.symbols,
            bios=wish.bios,
        )
        for kernel in kernels
    ]
    names = " and ".join(side.label for side in sides)
    moments = f"from {', '.join(wish.begin)} to {', '.join(wish.end) or 'the last step'}"
    return _two(Case("own", names, f"On {machine}, {moments}.", sides))


def _two(case: Case) -> Case:
    if len(case.sides) > 2:
        raise InputError(f"{len(case.sides)} runs; expected one, or two to be side by side")
    return case
