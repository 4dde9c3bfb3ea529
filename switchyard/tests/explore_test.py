# SPDX-License-Identifier: Apache-2.0
"""Windows of runs beside the machine itself, and the pages made of them, in Chromium."""

import itertools
import math
import re
import subprocess
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from switchyard import cli
from switchyard.errors import InputError
from switchyard.run import build
from switchyard.run.interactive import Machine, System
from switchyard.show.explore import cases, command
from switchyard.show.explore.cases import Side, Wish
from switchyard.show.explore.window import Replay, Window
from switchyard.tests.browsing import DESKTOP, PHONE, follow_the_guide, opened

pytestmark = [pytest.mark.slow, pytest.mark.guests]

# As a page is sent by mail and opened on a phone.
MOST_BYTES = 2 << 20
RISCV = Path(__file__).parents[2] / "machine/tests/riscv/guest"


def side(guest: str, machine: str, append: str, *begin: str) -> Side:
    image = build.ensure([build.find(guest)])[0]
    return Side(guest, machine, image, append, begin)


IPC = ("assabet-fass-bench-ipc", "sa1110", "clients=3 rounds=30 warmup=30", "region:3", "user*9")
FLUSH = (
    "assabet-flush-bench-ipc", "sa1110", "clients=2 rounds=30 warmup=30", "region:2", "user*3",
)  # fmt: skip
ARM926 = ("versatile-fass-test", "versatilepb", "only=thread", "user*60")
PC = ("isa-pc-flush-test", "p4-willamette", "only=thread", "user*60")


def at(system: System, cycle: int) -> None:
    """Stops a machine after the instruction that was done at a cycle."""
    system.run_until(cycle=cycle)
    assert system.cycles == cycle


def held(rows: Any, table: int, *columns: int) -> list[tuple[int, ...]]:
    """Values of a table's places that hold something, sorted."""
    return sorted(
        tuple(row[column] for column in columns)
        for (of, _), row in rows.items()
        if of == table
    )  # fmt: skip


def compare(replay: Replay, system: System) -> None:
    """What a window says of the machine, beside what the machine says."""
    window = replay.window
    names = [table.name for table in window.tables]
    registers = dict(zip(window.registers, replay.registers, strict=True))
    aliases = {"r13": "sp", "r14": "lr"}
    for name, value in registers.items():
        assert system[aliases.get(name, name)] == value, name
    for name, value in zip(window.system, replay.system, strict=True):
        if name != "buffered":
            assert system[name] == value, name
    tlbs = {"instruction": "instruction TLB", "data": "data TLB"}
    for kind, name in tlbs.items():
        table = names.index(name if name in names else "TLB")
        told = [entry for entry in system.tlb() if entry.tlb == kind]
        assert held(replay.places, table, 0, 1, 2) == sorted((e.va, e.pa, e.size) for e in told)
        domains = [re.search(r"domain +(\d+)", entry.flags) for entry in told]
        numbers = sorted(int(match[1]) for match in domains if match)
        if "domain" in window.tables[table].columns:
            assert [row[0] for row in held(replay.places, table, 3)] == numbers
    caches = system.caches()
    table = names.index("data cache")
    if "dirty" in window.tables[table].columns:
        data = held(replay.places, table, 0, 1, 2)
        if "mini data cache" in names:
            data += held(replay.places, names.index("mini data cache"), 0, 1, 2)
        lines_held = sorted((va, pa, dirty != 0) for va, pa, dirty in data)
        assert lines_held == sorted((line.va or 0, line.pa, line.dirty) for line in caches.lines)
        lines = re.search(r"instruction cache \w+: (\d+) lines", caches.text)
        buffered = re.search(r"write buffer: (\d+) writes", caches.text)
        assert lines is not None
        assert len(held(replay.places, 0, 0)) == int(lines[1])
        assert buffered is not None
        assert replay.system[window.column("buffered")] == int(buffered[1])
    else:
        assert [row[0] for row in held(replay.places, table, 0)] == sorted(
            line.pa for line in caches.lines
        )
        second = re.search(r"second level: (\d+) lines, (\d+)", caches.text)
        rows = held(replay.places, names.index("second level"), 1, 2)
        bits = [sum(row[n].bit_count() for row in rows) for n in (0, 1)]
        assert second is not None
        assert bits == [int(second[1]), int(second[2])]


@pytest.mark.parametrize(
    ("given", "steps"), [(IPC, 700), (FLUSH, 1500), (ARM926, 700), (PC, 400)], ids=lambda x: str(x)
)
def test_a_window_is_what_the_machine_says(given: tuple[str, ...], steps: int) -> None:
    seen = side(*given)
    window = command.window(seen, steps)
    assert len(window.steps) == steps
    assert not window.complete
    replay = Replay(window)
    with Machine(seen.machine).boot(seen.kernel, seen.append) as system:
        at(system, window.begin)
        compare(replay, system)
        wanted = [1, steps // 3, steps // 2, steps - 10]
        before = window.begin
        for step in replay:
            # A Pentium 4 does several instructions in a cycle: the machine stops after the first.
            if wanted and replay.done >= wanted[0] and step.cycle > before:
                at(system, step.cycle)
                compare(replay, system)
                wanted.pop(0)
            before = step.cycle
        assert not wanted


def test_a_window_changes_no_cycle() -> None:
    """Cycles of instructions are those of a run that nothing watches, but for a debugger."""
    seen = side(*IPC)
    window = command.window(seen, 300)
    with Machine(seen.machine).boot(seen.kernel, seen.append) as system:
        system.run_until(cycle=window.begin)
        for step in window.steps:
            assert system["pc"] == step.pc
            system.step()
            assert system.cycles == step.cycle


def test_cycles_are_all_accounted_for() -> None:
    window = command.window(side(*FLUSH), 1500)
    before = window.begin
    for step in window.steps:
        issued = step.cycle - before - sum(step.waited.values())
        # past the caches a single access takes as long as the bus does
        past = {"uncached_reads", "uncached_writes"} & step.counted.keys()
        assert 0 <= issued < (100 if past else 30), step
        before = step.cycle
    causes = {cause for step in window.steps for cause in step.waited}
    assert {"operand", "fetch_fill", "fetch_walk", "data_fill", "data_walk"} <= causes


@pytest.fixture(scope="module")
def ipc(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("explore") / "ipc.html"
    assert cli.execute(["explore", str(path)]) == 0
    return path


@pytest.fixture
def page(browser: Browser, ipc: Path) -> Iterator[Page]:
    page = opened(browser, ipc)
    yield page
    page.context.close()


def snapshots(page: Page) -> Any:
    return page.evaluate("explorer.sides.map((side) => side.snapshot())")


def position(page: Page) -> int:
    return int(page.evaluate("explorer.position"))


# That of Linux has its test where Linux is built (linux/tests).
@pytest.mark.parametrize("name", [name for name in cases.CASES if name != "linux"])
def test_the_pages_of_the_book(name: str, tmp_path: Path, browser: Browser) -> None:
    path = tmp_path / "page.html"
    assert cli.execute(["explore", str(path), "--case", name]) == 0
    assert path.stat().st_size < MOST_BYTES
    page = opened(browser, path)
    assert page.locator(".side").count() == 2
    # on the Pentium 4 one can tell a program from the kernel, but not both programs apart
    places = 2 if name == "small-spaces" else 4
    assert page.locator("#chapters button").count() == places
    assert page.locator("#jumps button").count() >= 3
    page.locator("#jumps button").first.click()
    assert position(page) > 0
    page.locator(".words button").first.click()
    assert page.locator(".card:popover-open").count() == 1
    page.keyboard.press("Escape")
    follow_the_guide(page)
    page.context.close()


def test_the_guide_leads_to_what_it_tells_of(page: Page) -> None:
    told = page.locator("#guide li.shown")
    assert "nearly all are empty" in told.inner_text()
    page.locator("#guide-on").click()
    assert "switch: dacr" in page.locator("#side-1 .said").inner_text()
    page.locator("#guide-on").click()
    assert page.locator("#side-0 .said").inner_text().startswith("flush: ")
    page.locator("#guide-on").click()
    assert "switch: ttb" in page.locator("#side-0 .said").inner_text()
    page.locator("#guide-on").click()
    assert page.locator("#side-0 .chip").inner_text() == "space B, program"
    assert "instruction TLB miss" in page.locator("#side-0 .said").inner_text()
    page.locator("#guide-back").click()
    assert "the address of B's page table" in told.inner_text()


def test_jumps_lead_to_a_sides_own_place_and_take_the_guide_along(page: Page) -> None:
    flush, fass = (page.get_by_role("group", name=name, exact=True) for name in ("flush", "fass"))
    assert flush.get_by_role("button").count() == 3
    flush.get_by_role("button", name="the switch").click()
    assert "switch: ttb" in page.locator("#side-0 .said").inner_text()
    assert page.locator("#guide-where").inner_text() == "4 of 6"
    there = position(page)
    fass.get_by_role("button", name="the switch").click()
    assert "switch: dacr" in page.locator("#side-1 .said").inner_text()
    assert position(page) < there
    assert page.locator("#guide-where").inner_text() == "2 of 6"


def test_the_squares_are_seen_at_once_and_are_level(page: Page) -> None:
    for at in (0, 400, 1005, 2000):
        page.evaluate(f"explorer.go({at})")
        boxes = [page.locator(f"#side-{n} .parts").bounding_box() for n in (0, 1)]
        assert all(box is not None and box["y"] < DESKTOP["height"] * 0.8 for box in boxes), at
        assert len({box["y"] for box in boxes if box is not None}) == 1, at


def test_a_flush_tells_what_it_read_itself_from_what_was_there(page: Page) -> None:
    held, told = page.evaluate(
        """(() => {
          const side = explorer.sides[0];
          const [, first, , text] = side.events.find(([kind]) => kind === "flush");
          side.goTo(first);
          const caches = side.rows.filter((_, n) => side.tables[n].kind === "cache");
          return [caches.flatMap((rows) => rows.filter(Boolean)).length, text];
        })()"""
    )
    numbers = re.fullmatch(
        r"\d+ half lines written back, (\d+) lines and (\d+) of its own invalidated, "
        r"\d+ translations invalidated",
        told,
    )
    assert numbers is not None, told
    # besides, of those that were there it has evicted some, and fetched its own instructions
    assert int(numbers[1]) <= held
    assert int(numbers[2]) >= 200


def test_the_page_ends_as_the_machine(page: Page) -> None:
    page.keyboard.press("End")
    shown = snapshots(page)
    for side, snapshot in zip(cases.ipc(Wish()).sides, shown, strict=True):
        window = command.window(side)
        replay = Replay(window)
        for _ in replay:
            pass
        assert snapshot["cycle"] == window.steps[-1].cycle
        assert snapshot["registers"] == replay.registers
        assert snapshot["system"] == replay.system
        rows = {
            (table, place): row
            for table, places in enumerate(snapshot["rows"])
            for place, *row in places
        }  # fmt: skip
        assert rows == {place: list(row) for place, row in replay.places.items()}
        with Machine(side.machine).boot(side.kernel, side.append) as system:
            at(system, snapshot["cycle"])
            compare(replay, system)


def test_forward_and_back_lead_to_the_same(page: Page) -> None:
    first = snapshots(page)
    for _ in range(60):
        page.keyboard.press("ArrowRight")
    there = snapshots(page)
    assert position(page) == 60
    assert there != first
    page.keyboard.press("End")
    assert [snapshot["cycle"] for snapshot in snapshots(page)] > [
        snapshot["cycle"] for snapshot in there
    ]
    page.evaluate("explorer.go(60)")
    assert snapshots(page) == there
    for _ in range(60):
        page.keyboard.press("ArrowLeft")
    assert snapshots(page) == first


def test_events_are_jumped_to(page: Page) -> None:
    last = int(page.evaluate("explorer.positions.length")) - 1
    stops = []
    while page.locator("#event-on").is_enabled():
        page.keyboard.press("n")
        stops.append(position(page))
        assert len(stops) < last
    said = []
    for stop in reversed(stops):
        assert position(page) == stop
        said.append(page.locator("#side-0 .said").inner_text())
        page.keyboard.press("p")
    flushes = [text for text in said if text.startswith("flush: ")]
    assert any("half lines written back" in text and "cycles in all" in text for text in flushes)
    page.get_by_role("checkbox", name="line filled").check()
    page.keyboard.press("Home")
    page.locator("#event-on").click()
    assert position(page) < stops[0]


def test_both_sides_wait_for_each_other_at_marks(page: Page) -> None:
    """One way takes some thousand cycles with a flush, and 55 without (docs/ipc-path.md)."""
    page.get_by_role("button", name="B resumes").click()
    flush, fass = page.evaluate("explorer.sides.map((side) => side.cycles)")
    assert flush > 30 * fass
    chips = [page.locator(f"#side-{n} .chip").inner_text() for n in (0, 1)]
    assert chips == ["space B, program"] * 2
    page.keyboard.press("ArrowLeft")
    assert page.locator("#side-1 .waits").inner_text() == "paused until flush gets here"
    # one way, from the trap to the first instruction after it, is what the book begins with
    ways = page.evaluate(
        """explorer.sides.map((side) => {
          const [sent, arrived] = side.events.filter(([kind]) => kind === "mark");
          return side.at[arrived[2] + 1] - side.at[sent[1]];
        })"""
    )
    text = (build.root() / "docs" / "explore.md").read_text("utf-8")
    assert ways[1] == 55
    assert f"takes {ways[1]} cycles or {ways[0]:,}, and" in text


def test_a_square_says_what_it_holds(page: Page) -> None:
    page.keyboard.press("End")
    square = page.locator("#side-1 .tlb .cell.owner-0").first
    # scrolling hides what is said, and is told of in the frame after it
    square.scroll_into_view_if_needed()
    page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    square.hover()
    tip = page.locator("#side-1 .tip")
    told = tip.inner_text()
    assert re.fullmatch(
        r"instruction TLB, entry \d+: [0-9a-f]{8}, memory at [0-9a-f]{8}, \d+ [KM]B, domain \d+, "
        r"permissions \d{4}, (not )?cached, (not )?buffered, space A's",
        told,
    )
    # where the eye is: in the window, and next to the square
    at, box = square.bounding_box(), tip.bounding_box()
    assert at is not None
    assert box is not None
    assert 0 <= box["y"] <= DESKTOP["height"] - box["height"]
    assert 0 <= box["x"] <= DESKTOP["width"] - box["width"]
    assert min(abs(box["y"] - at["y"] - at["height"]), abs(at["y"] - box["y"] - box["height"])) < 10
    page.keyboard.press("ArrowLeft")
    assert not tip.is_visible()


def lab(colour: str) -> tuple[float, float, float]:
    """A colour as CSS gives it, in CIE L*a*b* (white point D65)."""
    parts = [int(part) / 255 for part in re.findall(r"\d+", colour)[:3]]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    rows = ((0.4124, 0.3576, 0.1805), (0.2126, 0.7152, 0.0722), (0.0193, 0.1192, 0.9505))
    white = (0.9505, 1.0, 1.089)
    xyz = [
        sum(a * b for a, b in zip(row, linear, strict=True)) / w
        for row, w in zip(rows, white, strict=True)
    ]
    x, y, z = (t ** (1 / 3) if t > 0.008856 else 7.787 * t + 16 / 116 for t in xyz)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_no_two_colours_of_a_legend_are_alike(dark: bool, ipc: Path, browser: Browser) -> None:
    page = opened(browser, ipc, dark=dark)
    page.keyboard.press("End")
    for legend in (
        "#kinds .swatch",
        "#side-0 .costs .swatch",
        ".legend .cell:not(.used, .new, .closed)",
    ):
        colours = page.locator(legend).evaluate_all(
            "all => all.map(one => getComputedStyle(one).backgroundColor)"
        )
        assert len(colours) >= 5
        for one, other in itertools.combinations(colours, 2):
            # 2.3 is just noticeable side by side; small squares apart need far more
            assert math.dist(lab(one), lab(other)) > 20, (legend, one, other)
    page.context.close()


def test_on_paper_squares_have_their_colours(page: Page) -> None:
    page.keyboard.press("End")
    page.emulate_media(media="print")
    assert page.locator(".side:visible").count() == 2
    printed = page.pdf(format="A4")
    streams = re.findall(rb"stream\r?\n(.*?)endstream", printed, re.S)
    drawn = b"\n".join(zlib.decompressobj().decompress(part) for part in streams if part[0] == 0x78)
    fills = {
        tuple(round(float(part) * 255) for part in fill.split()[:3])
        for fill in re.findall(rb"[\d.]+ [\d.]+ [\d.]+ rg", drawn)
    }
    for name in (
        ".cell.owner-0:not(.dirty)",
        ".cell.owner-1:not(.dirty)",
        ".cell.dirty",
        ".swatch",
    ):
        colour = page.locator(name).first.evaluate("one => getComputedStyle(one).backgroundColor")
        assert tuple(int(part) for part in re.findall(r"\d+", colour)) in fills, name


def test_what_is_warm_is_said_as_it_is(page: Page) -> None:
    assert "warm" not in page.locator(".question").inner_text()
    flush, fass = page.evaluate(
        "explorer.sides.map((side) => side.rows.map((rows) => rows.filter(Boolean).length))"
    )
    assert flush[0] < 20 < fass[0]
    said = page.locator(".said").all_inner_texts()
    assert f"instruction cache {flush[0]} of 512" in said[0]
    assert f"instruction cache {fass[0]} of 512" in said[1]


def test_no_button_is_cut_on_a_phone(ipc: Path, browser: Browser) -> None:
    page = opened(browser, ipc, PHONE)
    cut = page.locator(".controls button:visible").evaluate_all(
        """all => all.filter((one) => {
          const at = one.getBoundingClientRect();
          for (let box = one.parentElement; box; box = box.parentElement) {
            const around = box.getBoundingClientRect();
            if (at.left < around.left || at.right > around.right + 0.5) return true;
          }
          return one.scrollWidth > one.clientWidth + 1;
        }).map((one) => one.textContent)"""
    )
    assert cut == []
    assert page.locator("#chapters button:visible").count() == 4
    page.context.close()


@pytest.mark.parametrize("case", ["ipc", "pagefault"])
def test_it_fits_a_phone_and_the_dark(
    case: str, ipc: Path, tmp_path: Path, browser: Browser
) -> None:
    path = ipc
    if case != "ipc":
        path = tmp_path / f"{case}.html"
        assert cli.execute(["explore", str(path), "--case", case]) == 0
    page = opened(browser, path, PHONE, dark=True)
    for at in (0, 60, 150, 1000, 2000):
        page.evaluate(f"explorer.go({at})")
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    assert page.locator("#side-0").is_visible()
    assert not page.locator("#side-1").is_visible()
    # from where the caches are seen, one steps and changes sides
    page.locator("#side-0 .tlb").first.scroll_into_view_if_needed()
    page.evaluate("scrollBy(0, 700)")
    for button in ("#step", "[data-side='1']"):
        box = page.locator(button).bounding_box()
        assert box is not None
        assert 0 <= box["y"] < PHONE["height"] / 4
    page.get_by_role("button", name="fass", exact=True).click()
    assert page.locator("#side-1").is_visible()
    assert not page.locator("#side-0").is_visible()
    sizes = page.locator("main *:visible").evaluate_all(
        "all => all.filter(one => one.innerText?.trim()).map(one => getComputedStyle(one).fontSize)"
    )
    assert min(float(size.removesuffix("px")) for size in sizes) >= 11
    page.wait_for_selector(".wide.more #stretches")  # says that it scrolls
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert ground == "rgb(21, 23, 26)"
    page.context.close()


def test_the_address_names_the_step(ipc: Path, browser: Browser) -> None:
    page = opened(browser, ipc)
    page.evaluate("explorer.go(77)")
    assert page.url.endswith("#77")
    page.evaluate("location.hash = '#12'")
    expect(page.locator("#where")).to_contain_text("step 12 of")
    assert position(page) == 12
    page.context.close()


def test_it_runs_by_itself(page: Page) -> None:
    page.keyboard.press(" ")
    expect(page.locator("#where")).not_to_contain_text("step 0 of")
    page.keyboard.press(" ")
    stopped = position(page)
    page.wait_for_timeout(500)
    assert position(page) == stopped > 0


def test_an_image_of_ones_own(tmp_path: Path, browser: Browser) -> None:
    image = build.ensure([build.find("assabet-fass-bench-ipc")])[0]
    path = tmp_path / "own.html"
    arguments = ["explore", str(path), "--kernel", str(image), "--append", "clients=1 rounds=9"]
    arguments += ["--from", "switch_prepare", "--to", "user"]
    assert cli.execute(arguments) == 0
    page = opened(browser, path)
    assert page.locator(".side").count() == 1
    assert page.locator("#side-0 .row.next .place").inner_text() == "switch_prepare"
    page.context.close()


def test_addresses_of_64_bits(tmp_path: Path, browser: Browser) -> None:
    """A RISC-V kernel above 2^63, whose addresses are longer than a script's numbers are exact."""
    image, path = tmp_path / "high.elf", tmp_path / "high.html"
    compiler = [sys.executable, "-m", "ziglang", "cc", "-target", "riscv64-freestanding-none"]
    compiler += ["-mcpu=generic_rv64+m+a+f+d+c+zicsr-relax", "-mcmodel=medany", "-mabi=lp64d"]
    compiler += ["-O1", "-ffreestanding", "-nostdlib", "-fno-sanitize=undefined"]
    compiler += ["-T", str(RISCV / "high.lds"), "-o", str(image), str(RISCV / "high.c")]
    subprocess.run(compiler, check=True, capture_output=True)
    arguments = ["explore", str(path), "--kernel", str(image), "--machine", "virt-u74"]
    arguments += ["--bios", "none", "--from", "high", "--to", "step*3"]
    assert cli.execute(arguments) == 0
    page = opened(browser, path)
    assert page.locator("#side-0 .row.next .place").inner_text() == "high"
    assert page.locator("#side-0 .row.next .text").inner_text() == "c.addi sp, -0x10"
    assert "ffffffff800" in page.locator("#side-0 .said").inner_text()
    for _ in range(20):
        page.keyboard.press("ArrowRight")
    assert position(page) == 20
    stores = page.evaluate(
        "explorer.sides[0].steps.flatMap((s) => s[8] || []).map((a) => `${a[1]}`)"
    )
    assert all(int(address) > 2**63 for address in stores)
    page.context.close()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--case", "icp"], "--case icp: unknown; did you mean ipc?"),
        (["--scheme", "flash"], "--scheme flash: unknown; did you mean flush?"),
        (
            ["--case", "recycle", "--scheme", "flush"],
            "--scheme flush: recycles no domains; expected",
        ),
        (["--kernel", "kernel.elf"], "--from: missing; expected a moment"),
        (["--scheme", "fass", "--scheme", "flush", "--scheme", "fass"], "3 runs; expected one"),
    ],
)
def test_what_is_wrong_is_one_line(
    arguments: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.execute(["explore", str(tmp_path / "page.html"), *arguments]) == 2
    error = capsys.readouterr().err
    assert error.startswith(f"switchyard: {said}")
    assert error.count("\n") == 1
    assert not (tmp_path / "page.html").exists()


def test_a_moment_that_never_was_is_told_what_there_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.execute(["explore", str(tmp_path / "page.html"), "--from", "nowhere"]) == 2
    said = capsys.readouterr().err.splitlines()[-1]
    assert said.startswith("switchyard: --from nowhere: no such moment; expected a cycle, ")


def test_a_wrong_window_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "window.json"
    path.write_text('{"schema": 7}')
    with pytest.raises(InputError, match="schema: found 7; expected 1"):
        Window.load(path)
