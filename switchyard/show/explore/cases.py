# SPDX-License-Identifier: Apache-2.0
"""What is worth looking at: guests, and the windows of their runs."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from switchyard.errors import InputError, one_of
from switchyard.experiments import l4, l4_pc, linux_suite
from switchyard.run import build
from switchyard.run.build import ARCHITECTURES, BOARD, PC, Guest
from switchyard.run.build_linux import Linux
from switchyard.show.explore.looks import DOES, LOOK, PC_DOES

SCHEMES = ("flush", "fass")
WITHOUT_DOMAINS = ("flush", "single-space", "tags")
# Steps of a window; a page of so many is still quick, and below 2 MB.
MOST = 20_000


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
    guest: Guest | Linux | None = None  # what must be built for it
    initrd: Path | None = None
    functions: Path | None = None  # the kernel as ELF, where what is booted is packed
    does: str = ""  # at a switch


@dataclass(frozen=True)
class Case:
    """What a page shows: one run, or two side by side."""

    name: str
    title: str
    about: str
    sides: Sequence[Side] = field(default_factory=list)
    look: Sequence[tuple[str, str]] = ()  # what there is to see, in turn: where, and what


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
        does=(PC_DOES if board == PC else DOES).get(scheme, ""),
    )


def _look(name: str, wish: Wish) -> Sequence[tuple[str, str]]:
    return () if wish != Wish() else LOOK[name]


def ipc(wish: Wish) -> Case:
    """A message and its answer."""
    append, moments = "clients=2 rounds=40 warmup=200", ("region:2 sample:2*20", "sample:2")
    return Case(
        "ipc",
        "A message to another address space, and the answer",
        "Program A calls program B, which answers at once: two switches of address space, after "
        "200 such round trips. The same programs on the same processor, a StrongARM, under two "
        "kernels that switch in different ways.",
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
        "A program calls another, which answers at once: two switches of address space, after 200 "
        "such round trips.",
        [
            _side(scheme, "bench-ipc", append, moments, wish, board=PC)
            for scheme in wish.schemes or ("flush", "small-spaces")
        ],
        _look("small-spaces", wish),
    )


def linux(wish: Wish) -> Case:
    """A byte by pipe to another process of Linux, and one back."""
    of = {kernel.scheme: kernel for kernel in linux_suite.BOARDS[0]}
    sides = []
    for scheme in wish.schemes or (linux_suite.SCHEME, linux_suite.FAST):
        if scheme not in of:
            raise InputError(f"--scheme {scheme}: unknown; {one_of(scheme, of)}")
        kernel = of[scheme]
        system = kernel.linux
        images = system.images
        words = "quiet -- bench potato case=pipe rounds=80 clock=probe"
        sides.append(
            Side(
                label=kernel.short or kernel.scheme,
                machine=wish.machine or kernel.machine,
                kernel=images.kernel,
                append=system.append(f"{kernel.word}{words}"),
                # of the suite the pipe's round trips are stream 3
                begin=wish.begin or ("region:3", "sample:3*72"),
                having=wish.having,
                end=wish.end or ("sample:3",),
                symbols=[*wish.symbols, system.program("suite")],
                guest=system,
                initrd=images.initrd,
                functions=system.symbols,
                does=DOES.get(scheme, ""),
            )
        )
    return Case(
        "linux",
        "A switch on Linux: a byte through a pipe, and one back",
        "Two processes pass a byte to and fro through two pipes, as lmbench does: two switches of "
        "address space, after 172 such round trips.",
        sides,
        _look("linux", wish),
    )


CASES = {
    "ipc": ipc,
    "recycle": recycle,
    "pagefault": pagefault,
    "small-spaces": small_spaces,
    "linux": linux,
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
