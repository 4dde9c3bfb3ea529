# SPDX-License-Identifier: Apache-2.0
"""Guest images: what can be built, and building it.

The rules are in the Makefiles beside the sources; this file knows the names of the images and
hands over the pinned cross compiler. make decides what is up to date, so `ensure` is cheap when
nothing changed and every caller may call it.
"""

import fcntl
import importlib.util
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from switchyard import extras
from switchyard.errors import InputError, RunError, one_of
from switchyard.run import kernels, tree, user_paths
from switchyard.run.child_process import leashed

OWN_SCHEMES = user_paths.schemes()
ARCHITECTURES = kernels.architectures(tree.sources() / "kernel" / "arch", OWN_SCHEMES.values())
# The board that a board's name means, and whose it is.
ON_BOARDS = {
    board.name: (arch, board) for arch, there in ARCHITECTURES.items() for board in there.boards
}
BOARDS = tuple(ON_BOARDS)
PC = "isa-pc"
VIRT = "virt"  # RISC-V
# What experiments on switching schemes compare: those of ARM.
KERNELS = ARCHITECTURES.get("arm", kernels.Kernels())
BOARD = "assabet"
VERSATILE = "versatile"
ARM920 = "arm920"  # a processor that may be on the Versatile board in place of its own
ARM920_SCHEMES = ("flush", "fass")  # what its operations are tried under
SCHEMES = tuple(scheme.name for scheme in KERNELS.schemes if not scheme.machines)
# What needs a machine that was not built: the bounds for all others. `tags` flushes nothing, on one
# with ideal address-space tags (docs/machine-tags.md).
BOUNDS = tuple(scheme.name for scheme in KERNELS.schemes if scheme.machines)
TAGS = "tags"
BARE = "bare"
# The multi-server system, and programs of a machine at the other end of the cable (servers/).
SERVERS = "servers"
PING = "ping"
REQUESTS = "requests"
# How domains are recycled; the first is what a kernel has by itself.
POLICIES = tuple(policy.name for policy in KERNELS.policies)
# The SA-1110's data cache, which a kernel has to know the size of.
DCACHE_BYTES = next(
    (processor.dcache_bytes for processor in KERNELS.processors if processor.name == "sa1110"), 0
)

# Lines of a failed build's output that an error shows.
BUILD_TAIL = 25


def compiler() -> str:
    """The pinned compiler: its program itself, as Python before it takes longer than most files."""
    package = importlib.util.find_spec("ziglang")
    folders = list(package.submodule_search_locations or []) if package else []
    zig = Path(folders[0]) / "zig" if folders else None
    return f"{zig} cc" if zig and zig.exists() else f"{sys.executable} -m ziglang cc"


@dataclass(frozen=True)
class Images:
    """The files that a machine loads for a run, and the kernel's functions for a profile."""

    kernel: Path
    initrd: Path | None = None
    dtb: Path | None = None
    symbols: Path | None = None
    bios: str = ""  # what starts a RISC-V's kernel


@dataclass(frozen=True)
class Guest:
    """One image: a kernel for a board with a switching scheme, and the program it starts.

    Under the scheme `bare` there is no kernel: the program is the image. `policy` is the one by
    which domains are recycled, where that is not the scheme's own choice.
    """

    board: str
    scheme: str
    program: str
    about: str
    policy: str = ""
    dcache_bytes: int = DCACHE_BYTES  # of the machine that it is built for
    cpu: str = ""  # where it is not the board's own
    small_area: int = 0  # bytes of the PC's small-space area, where they are not the usual ones

    @property
    def name(self) -> str:
        """The image's name, which is its file's name without the ending."""
        dcache = f"-dcache{self.dcache_bytes}" if self.dcache_bytes != DCACHE_BYTES else ""
        policy = f"-{self.policy}" if self.policy else ""
        cpu = f"-{self.cpu}" if self.cpu else ""
        area = f"-area{self.small_area:#x}" if self.small_area else ""
        return f"{self.board}{cpu}-{self.scheme}{area}{policy}{dcache}-{self.program}"

    def for_dcache(self, size: int) -> "Guest":
        """The image for a machine with that many bytes of data cache."""
        return replace(self, dcache_bytes=size)

    @property
    def image(self) -> Path:
        """Where the build puts it, or where the package has it."""
        return tree.ready(self.name) or self.place / "build" / "guests" / f"{self.name}.elf"

    @property
    def fetches(self) -> bool:
        """Whether some of its sources are fetched when it is built: no package has it ready."""
        return self.program in (SERVERS, REQUESTS)

    @property
    def place(self) -> Path:
        """The folder whose `build` it is built in: the user's that its scheme is in, if it is."""
        scheme = OWN_SCHEMES.get(self.scheme)
        return scheme.parent.parent if scheme else root()

    @property
    def images(self) -> Images:
        """What a machine loads: that file alone, which names the kernel's functions as well."""
        # On a RISC-V ours begin in machine mode.
        bios = "none" if self.board == VIRT else ""
        return Images(self.image, symbols=self.image, bios=bios)

    def make(self) -> list[str]:
        """The command that brings it up to date."""
        tools = [f"PYTHON={sys.executable}", f"CC={compiler()}"]
        root()  # or there are no boards
        arch = ON_BOARDS[self.board][0]
        # (what each object's compiler says stays together)
        on = [f"-j{os.cpu_count() or 1}", "-Otarget", f"ARCH={arch}", f"BOARD={self.board}"]
        if self.scheme == BARE:
            folder = "servers" if self.program in (PING, REQUESTS) else "bench"
            return ["make", "-C", folder, *on, *tools, str(self.image)]
        kernel = [*on, f"SWITCH={self.scheme}"]
        folder = "kernel"
        if self.scheme in OWN_SCHEMES:
            folder = str(with_own_schemes(self.place) / "kernel")
            kernel.append(f"BUILD={self.place / 'build'}")
        if self.dcache_bytes != DCACHE_BYTES:
            kernel.append(f"DCACHE={self.dcache_bytes}")
        if self.cpu:
            kernel.append(f"CPU={self.cpu}")
        if self.policy:
            kernel.append(f"POLICY={self.policy}")
        if self.small_area:
            kernel.append(f"SMALL_AREA={self.small_area:#x}")
        return ["make", "-C", folder, *kernel, f"PROGRAM={self.program}", *tools]


PROGRAMS = {
    "test": "the kernel's tests",
    "random": "the kernel against a model, at random",
    "bench-collisions": "spaces whose parts lie at the same addresses",
    "bench-fault": "page faults by kind, served by a pager",
    "bench-ipc": "IPC round trips between a server and n clients",
    "bench-size": "IPC one way by the message's length",
    "bench-primitives": "null system call, thread switch, page fault",
    "bench-pingpong": "ping-pong between two spaces, one with a working set",
    "bench-spaces": "IPC round trips among n spaces, none of them the root task's",
}

# Those that there are for the PC and RISC-V too.
OTHER_PROGRAMS = {
    name: PROGRAMS[name]
    for name in (
        "random",
        "bench-ipc",
        "bench-size",
        "bench-primitives",
        "bench-pingpong",
        "bench-spaces",
    )
}


def schemes_on(board: str) -> tuple[str, ...]:
    """The schemes that work on a board's own processor, on any machine that has it."""
    if board not in ON_BOARDS:
        return ()
    arch, there = ON_BOARDS[board]
    schemes = (scheme for scheme in ARCHITECTURES[arch].schemes if there.cpus[0] in scheme.cpus)
    return tuple(scheme.name for scheme in schemes if not scheme.machines)


@dataclass(frozen=True)
class OwnGuest(Guest):
    """A guest of the user's own: a folder with a Makefile that makes BUILD/NAME.elf."""

    folder: Path = Path()

    @property
    def name(self) -> str:
        """The folder's name."""
        return self.program

    @property
    def place(self) -> Path:
        """The folder of the user's that it is in."""
        return self.folder.parent.parent

    @property
    def image(self) -> Path:
        """Where its Makefile is told to put it."""
        return self.place / "build" / f"{self.name}.elf"

    def make(self) -> list[str]:
        """The command that brings it up to date."""
        return [
            *("make", "-C", str(self.folder), f"CC={compiler()}"),
            *(f"SWITCHYARD={tree.sources()}", f"BUILD={self.image.parent}", str(self.image)),
        ]


def _arch_of(scheme: str) -> str:
    """The architecture that a scheme of the user's own is for: it names its processors."""
    folder = OWN_SCHEMES[scheme]
    for arch, there in ARCHITECTURES.items():
        if (tree.sources() / "kernel/arch" / arch / "switch" / scheme).exists():
            user_paths.refuse("scheme", [scheme], OWN_SCHEMES)
        if scheme in (known.name for known in there.schemes):
            return arch
    raise InputError(f"{folder / 'facts.mk'}: SWITCH_CPUS: expected processors of a kernel")


for _scheme in OWN_SCHEMES:
    _arch_of(_scheme)  # which refuses what cannot be

GUESTS: dict[str, Guest] = {
    guest.name: guest
    for guest in [
        *(
            Guest(BOARD, scheme, program, about)
            for program, about in PROGRAMS.items()
            for scheme in schemes_on(BOARD)
        ),
        *(
            Guest(board, scheme, "test", PROGRAMS["test"])
            for board in BOARDS
            if board != BOARD
            for scheme in schemes_on(board)
        ),
        *(
            Guest(PC, scheme, program, about)
            for program, about in OTHER_PROGRAMS.items()
            for scheme in schemes_on(PC)
        ),
        *(
            Guest(PC, scheme, "bench-revocation", "a part of the small-space area changes hands")
            for scheme in schemes_on(PC)
            if scheme != "flush"
        ),
        *(
            Guest(BOARD, scheme, program, about)
            for scheme in BOUNDS
            for program, about in PROGRAMS.items()
            if program != "random"
        ),
        *(
            Guest(VERSATILE, scheme, "test", PROGRAMS["test"], cpu=ARM920)
            for scheme in ARM920_SCHEMES
        ),
        *(
            Guest(BOARD, "fass", "bench-policy", "spaces in pairs, rings and groups", policy)
            for policy in ("", *POLICIES[1:])
        ),
        Guest(BOARD, TAGS, "bench-policy", "spaces in pairs, rings and groups"),
        *(
            Guest(BOARD, scheme, "bench-extreme", "shared pages, read by turns")
            for scheme in (*schemes_on(BOARD), *BOUNDS)
        ),
        *(
            Guest(VERSATILE, scheme, program, PROGRAMS[program])
            for program in ("bench-spaces", "bench-pingpong")
            for scheme in (*schemes_on(VERSATILE), *BOUNDS)
        ),
        *(
            Guest(VERSATILE, scheme, "bench-overheads", "tasks that switch and are interrupted")
            for scheme in (*schemes_on(VERSATILE), *BOUNDS)
        ),
        *(
            Guest(VIRT, scheme, program, about)
            for program, about in OTHER_PROGRAMS.items()
            for scheme in schemes_on(VIRT)
        ),
        Guest(BOARD, BARE, "bench-compute", "a compute loop without a kernel"),
        *(
            Guest(board, BARE, "bench-silicon", "instructions and memory without a kernel")
            for board in (*(board.name for board in KERNELS.boards), VIRT)
        ),
        *(
            Guest(
                VERSATILE, scheme, SERVERS, "a network driver and an IP stack, which answer pings"
            )
            for scheme in (*schemes_on(VERSATILE), *BOUNDS)
        ),
        *(
            Guest(PC, scheme, SERVERS, "a network driver and an IP stack, which answer pings")
            for scheme in schemes_on(PC)
        ),
        *(
            Guest(board, BARE, PING, "pings the machine at the other end of its cable")
            for board in (VERSATILE, PC)
        ),
        *(
            Guest(board, BARE, REQUESTS, "asks a web server at the other end of its cable")
            for board in (VERSATILE, PC)
        ),
        Guest(PC, BARE, "bench-compute", "a compute loop without a kernel"),
        Guest(PC, BARE, "bench-p4", "caches, TLBs and the kernel's doors without a kernel"),
    ]
}
user_paths.refuse("guest", GUESTS, user_paths.guests())
GUESTS |= {
    name: OwnGuest("", BARE, name, f"of your own, in {folder}", folder=folder)
    for name, folder in user_paths.guests().items()
}


def root() -> Path:
    """The folder that guests are built in, with their sources."""
    return tree.root()


def with_own_schemes(folder: Path) -> Path:
    """The sources with that folder's schemes in their places: links, in its `build`."""
    places = {
        Path("kernel/arch") / _arch_of(name) / "switch" / name: scheme
        for name, scheme in OWN_SCHEMES.items()
        if scheme.parent.parent == folder
    }
    return tree.linked(folder / "build" / "sources", places)


def protects(scheme: str) -> bool:
    """Does the scheme keep address spaces apart? It says so itself (kernel/switch.h, 9)."""
    return next(known.protects for known in KERNELS.schemes if known.name == scheme)


def find(name: str, others: Iterable[str] = ()) -> Guest:
    """The guest of that name; a file name or path of its image will do.

    `others` are names that are no guest's but would have been known too.
    """
    guest = GUESTS.get(Path(name).name.removesuffix(".elf"))
    if guest is None:
        raise InputError(f"build {name}: unknown guest; {one_of(name, [*GUESTS, *others])}")
    return guest


def programs(kernel: Path) -> list[Path]:
    """The programs that one of our images brings along, as they were linked: they have names."""
    guest = GUESTS.get(kernel.name.removesuffix(".elf"))
    # a user's own guest is one program and for no board of ours
    if guest is None or guest.board not in ON_BOARDS:
        return []
    if kernel.resolve() != guest.image.resolve():
        return []
    built = guest.place / "build"
    arch = ON_BOARDS[guest.board][0]
    places = [
        built / "bench" / guest.board / f"{guest.program}.elf",
        *sorted((built / "bench" / arch).glob(f"{guest.program}-*.elf")),
        built / "user" / guest.board / f"{guest.program}.elf",
        built / "user" / guest.board / "sigma0.elf",
    ]
    return [place for place in places if place.exists()]


def ensure(
    guests: Iterable[Guest], say: Callable[[Guest], None] = lambda _guest: None
) -> list[Path]:
    """Brings images up to date, in order; `say` hears of each before it is made."""
    images = []
    for guest in guests:
        say(guest)
        _make(guest)
        images.append(guest.image)
    return images


def _make(guest: Guest) -> None:
    if tree.ready(guest.name):
        return
    extras.need("ziglang", f"switchyard build {guest.name}", "build")
    make(guest.name, guest.make(), [guest.image], place=guest.place)


def make(
    name: str, command: list[str], files: list[Path], *locks: int, place: Path | None = None
) -> None:
    """Runs the command that brings `files` up to date, unless another build runs: after that.

    It runs in `place`, the sources' folder if none is given, and holds the lock of build/ there to
    its own end, which a killed Switchyard does not see. Who builds elsewhere gives `locks` of those
    places, which are held instead.
    """
    place = place or root()
    # A make above us passes on its flags and its job server, which are not for this one.
    environment = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MFLAGS")}
    cache = place / "build" / ".zig-cache"
    environment["ZIG_GLOBAL_CACHE_DIR"] = environment["ZIG_LOCAL_CACHE_DIR"] = str(cache)
    with ExitStack() as stack:
        held = locks or [stack.enter_context(only_builder(place / "build"))]
        process = subprocess.Popen(
            # make ends its children when it is asked to, and removes what they left half done
            leashed(command, signal.SIGTERM),
            cwd=place,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            pass_fds=held,
        )
        try:
            said, _ = process.communicate()
        except BaseException:
            process.terminate()
            process.wait()
            raise
    if process.returncode != 0 or not all(file.exists() for file in files):
        tail = "\n".join(f"  | {line}" for line in said.splitlines()[-BUILD_TAIL:])
        shown = " ".join(re.sub(r"^CC=(.*)$", r"CC='\1'", word) for word in command)
        raise RunError(f"build {name}: failed\n  {shown}\n{tail}")


@contextmanager
def only_builder(folder: Path) -> Iterator[int]:
    """Two builds at once would write the same objects: the second waits for the first.

    Gives the lock, a file descriptor, which can be handed on to a process.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = os.open(folder / ".lock", os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o666)
    except OSError as error:
        message = f"{folder}: {error.strerror}; expected a folder that can be built in"
        raise InputError(message) from None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield lock
    finally:
        os.close(lock)
