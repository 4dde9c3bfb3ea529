# SPDX-License-Identifier: Apache-2.0
"""Programs on RISC-V: the same on QEMU, and what the checker says of forgotten fences."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from random_code import Plain, program
from simulator import machine_binary
from spike_said import PRIVILEGED
from unicorn_said import on_unicorn

HERE = Path(__file__).parent
MACHINES = HERE.parents[1] / "machines"
QEMU = shutil.which("qemu-system-riscv64")
CPU = "rv64,zba=on,zbb=on,zbc=off,zbs=off"
needs_qemu = pytest.mark.skipif(QEMU is None, reason="qemu-system-riscv64 is not installed")


def build(source: Path, directory: Path, *options: str, base: int = 0x8000_0000) -> Path:
    """An executable for that address."""
    image = directory / f"{source.stem}.elf"
    script = directory / "guest.lds"
    script.write_text(
        f"ENTRY(_start) SECTIONS {{ . = {base:#x};"
        " .text : { *(.text.start) *(.text*) }"
        " .data : { *(.rodata*) *(.srodata*) *(.data*) *(.sdata*) } .bss : { *(.bss*) *(.sbss*) }"
        " /DISCARD/ : { *(.comment) *(.riscv.attributes) *(.eh_frame*) } }\n"
    )
    command = [sys.executable, "-m", "ziglang", "cc", "-target", "riscv64-freestanding-none"]
    command += [
        "-mcpu=generic_rv64+m+a+f+d+c+zicsr+zifencei+zba+zbb-relax",
        "-mcmodel=medany",
        "-O2",
    ]
    command += [
        "-nostdlib",
        "-ffreestanding",
        "-fno-sanitize=undefined",
        "-fno-unwind-tables",
        "-fno-asynchronous-unwind-tables",
    ]
    command += ["-T", str(script), "-o", str(image), str(source), *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return image


def run(image: Path, name: str, *options: str, status: int = 0) -> bytes:
    """What it prints on the machine `name`."""
    command = [
        machine_binary(),
        "boot",
        "--machine",
        name,
        "--bios",
        "none",
        "--kernel",
        str(image),
    ]
    done = subprocess.run([*command, *options], capture_output=True, check=False, timeout=300)
    assert done.returncode == status, done.stderr.decode()
    return done.stdout


def on_qemu(image: Path, *options: str) -> bytes:
    """What it prints on QEMU's `virt`."""
    assert QEMU is not None
    output = image.with_suffix(".qemu")
    command = [QEMU, "-M", "virt", "-cpu", CPU, "-m", "64", "-bios", "none", "-display", "none"]
    command += ["-monitor", "none", "-serial", f"file:{output}", "-kernel", str(image)]
    subprocess.run([*command, *options], check=True, timeout=300)
    return output.read_bytes()


def same(ours: bytes, theirs: bytes, count: int) -> None:
    """Both say the same numbers, so many."""
    assert len(theirs) == 8 * count
    numbers = [[said[n : n + 8] for n in range(0, len(said), 8)] for said in (ours, theirs)]
    for n, (mine, other) in enumerate(zip(*numbers, strict=True)):
        assert mine == other, f"number {n} of {count} differs"


@pytest.mark.qemu
@needs_qemu
@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
def test_random_code_does_what_it_does_on_qemu(seed: int, tmp_path: Path) -> None:
    # five million instructions, and what stands around each thousand of them
    blocks, length, rounds = 100, 1000, 50
    source = tmp_path / "random.S"
    source.write_text(program(seed, blocks, length, rounds))
    image = build(source, tmp_path)
    same(run(image, "virt-rv64"), on_qemu(image), rounds)


@pytest.mark.slow
def test_random_code_does_what_it_does_on_unicorn(tmp_path: Path) -> None:
    blocks, length, rounds = 50, 400, 10
    source = tmp_path / "random.S"
    source.write_text(program(3, blocks, length, rounds, Plain))
    image = build(source, tmp_path)
    same(run(image, "virt-rv64"), on_unicorn(image), rounds)


@pytest.mark.qemu
@needs_qemu
@pytest.mark.slow
def test_random_page_tables_do_what_they_do_on_qemu(tmp_path: Path) -> None:
    image = build(HERE / "guest" / "paging.c", tmp_path, "-DCASES=2000")
    same(run(image, "virt-rv64"), on_qemu(image), 2000)


def test_privilege_and_traps_are_those_of_spike(tmp_path: Path) -> None:
    image = build(HERE / "guest" / "privileged.c", tmp_path)
    said = run(image, "virt-rv64")
    ours = [int.from_bytes(said[n : n + 8], "little") for n in range(0, len(said), 8)]
    assert ours == list(PRIVILEGED)


TURNED = 64


@pytest.mark.parametrize("kept", [True, False])
def test_a_teaching_kernels_disk_driver_turns_a_disk_around(kept: bool, tmp_path: Path) -> None:
    """By QEMU's words, which xv6 gives; the file has it afterwards, unless it is thrown away."""
    image = build(HERE / "guest" / "disk.c", tmp_path)
    blocks = [bytes([n, n ^ 0x5A] * 512) for n in range(TURNED)]
    turned = b"".join(reversed(blocks))
    disks = [tmp_path / name for name in ("disk.img", "qemu.img")]
    for disk in disks:
        disk.write_bytes(b"".join(blocks))
    drive = f"if=none,format=raw,id=x0{'' if kept else ',snapshot=on'}"
    legacy = ("-global", "virtio-mmio.force-legacy=false")
    said = run(
        image, "virt-rv64", f"-{legacy[0]}", legacy[1], "--drive", f"file={disks[0]},{drive}"
    )
    assert len(said.splitlines()) == 2 + TURNED // 2 * 6
    assert (disks[0].read_bytes() == turned) is kept
    if QEMU is not None:
        device = ("-device", "virtio-blk-device,drive=x0,bus=virtio-mmio-bus.0")
        theirs = on_qemu(image, *legacy, "-drive", f"file={disks[1]},{drive}", *device)
        assert said == theirs
        assert disks[1].read_bytes() == disks[0].read_bytes()


@pytest.mark.parametrize("legacy", [True, False])
def test_a_driver_of_a_console_is_heard_and_typed_to(legacy: bool, tmp_path: Path) -> None:
    """By QEMU's words; QEMU says the same. Some of it is typed before the driver is there."""
    image = build(HERE / "guest" / "console.c", tmp_path)
    words = [] if legacy else ["-global", "virtio-mmio.force-legacy=false"]
    ours = [f"-{word}" if word.startswith("-") else word for word in words]
    ours += ["--device", "virtio-serial-device", "--device", "virtconsole"]
    typed = tmp_path / "typed"
    typed.write_text("abcdefghijklmnop")
    said = run(image, "virt-rv64", *ours, "--input", str(typed))
    assert said == b"serial port\nearly\nconsole\nponm lkji hgfe dcba\n"
    saved = tmp_path / "saved"
    run(image, "virt-rv64", *ours, "--max-cycles", "5000", "--save", str(saved))
    command = [machine_binary(), "boot", "--restore", str(saved)]
    done = subprocess.run(command, capture_output=True, check=False, text=True)
    assert done.returncode == 2
    assert "has other devices than the machine (--device)" in done.stderr
    ours = ours[-4:]
    done = subprocess.run([*command, *ours, "--input", str(typed)], capture_output=True, check=True)
    assert done.stdout.endswith(b"console\nponm lkji hgfe dcba\n")
    if QEMU is not None:
        command = [QEMU, "-M", "virt", "-m", "64", "-bios", "none", "-display", "none", *words]
        command += ["-monitor", "none", "-serial", "null", "-chardev", "stdio,id=c"]
        command += ["-device", "virtio-serial-device", "-device", "virtconsole,chardev=c"]
        with typed.open() as keys:
            done = subprocess.run(
                [*command, "-kernel", str(image)], stdin=keys, capture_output=True, timeout=60
            )
        assert b"serial port\n" + done.stdout == said


@pytest.mark.parametrize(
    ("words", "wrong"),
    [
        (["virtconsole"], "has no bus to be on; expected --device virtio-serial-device before"),
        (["virtio-gpu-device"], "is not known; expected virtio-serial-device, virtconsole"),
        (["virtio-serial-device", "virtconsole,nr"], "`nr` is not known; expected chardev=NAME"),
        (["virtio-serial-device"] * 2, "is there already"),
    ],
)
def test_a_device_that_is_none_is_refused(words: list[str], wrong: str) -> None:
    command = [machine_binary(), "boot", "--machine", "virt-u74", "--kernel", "none.elf"]
    command += [word for name in words for word in ("--device", name)]
    done = subprocess.run(command, capture_output=True, check=False, text=True)
    assert done.returncode == 2
    assert f"--device {words[-1]}: {wrong}" in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("name", ["virt-u74", "virt-rv64"])
def test_registers_of_the_system(name: str, tmp_path: Path) -> None:
    run(build(HERE / "guest" / "registers.S", tmp_path), name)


@pytest.mark.parametrize("status", [0, 5])
def test_a_program_for_spike_speaks_to_the_host(status: int, tmp_path: Path) -> None:
    image = build(HERE / "guest" / "spike.S", tmp_path, f"-DSTATUS={status}")
    ends = []
    # Whoever stops the run in between gets the same end.
    for most in (None, 3000, 5001):
        stats, saved = tmp_path / "stats.json", tmp_path / "saved"
        how = ("--kernel", str(image), "--machine", "virt-u74", "--bios", "none")
        command = [machine_binary(), "boot", "--stats", str(stats)]
        said = b""
        if most is not None:
            stop = ("--max-cycles", str(most), "--save", str(saved))
            said = subprocess.run([*command, *how, *stop], capture_output=True, check=True).stdout
            how = ("--restore", str(saved))
        done = subprocess.run([*command, *how], capture_output=True, check=False, timeout=60)
        assert (done.returncode != 0) is (status != 0), done.stderr
        assert status == 0 or f"status {status}" in done.stderr.decode()
        assert said + done.stdout == b"spike\n6"
        ends.append(json.loads(stats.read_text())["cycles"])
    assert len(set(ends)) == 1


OPENSBI = Path("/usr/lib/riscv64-linux-gnu/opensbi/generic/fw_dynamic.bin")


@pytest.mark.skipif(not OPENSBI.is_file(), reason="opensbi is not installed")
@pytest.mark.parametrize("name", ["virt-u74", "virt-u74-asid", "virt-rv64"])
def test_opensbi_starts_a_kernel_and_switches_off(name: str, tmp_path: Path) -> None:
    source = HERE / "guest" / "supervisor.S"
    image = build(source, tmp_path, base=0x8020_0000)
    command = [machine_binary(), "boot", "--machine", name, "--kernel", str(image)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    said = [line.split(":", 1) for line in done.stdout.replace("\r", "").splitlines()]
    told = {line[0].strip(): line[1].strip() for line in said if len(line) == 2}
    assert "OpenSBI v" in done.stdout
    assert told["Platform Name"] == "riscv-virtio,qemu"
    assert told["Platform Console Device"] == "uart8250"
    assert told["Platform Shutdown Device"] == "sifive_test"
    assert told["Boot HART Base ISA"] == "rv64imafdc"
    assert told["Boot HART Priv Version"] == ("v1.12" if name == "virt-rv64" else "v1.11")
    assert told["Domain0 Next Address"] == "0x0000000080200000"
    assert said[-1] == ["in supervisor mode"]


FORGOTTEN = [
    (0, []),
    (1, ["stale-translation"]),
    (2, ["stale-instruction"]),
    (3, ["reused-asid"]),
    (4, ["lost-dirty-bit"]),
    (5, ["stale-global-page"]),
    (6, ["stale-protection"]),
    (7, ["stale-protection"]),
]


@pytest.mark.parametrize(("what", "causes"), FORGOTTEN)
def test_each_forgotten_fence_is_found(what: int, causes: list[str], tmp_path: Path) -> None:
    image = build(HERE / "guest" / "forgotten.S", tmp_path, f"-DFORGETS={what}")
    stats = tmp_path / "stats.json"
    options = ("--check", "coherence", "--stats", str(stats))
    run(image, "virt-u74", *options, status=1 if causes else 0)
    findings = json.loads(stats.read_text())["findings"]
    assert sorted({finding["cause"] for finding in findings}) == causes
    # what no store to memory did is named, too
    done = {3: "satp written by pc", 6: "protection written by pc", 7: "protection written by pc"}
    assert all(done.get(what, "") in finding["text"] for finding in findings)


@pytest.mark.parametrize(
    ("forgets", "uses", "pointers", "cause", "text"),
    [
        (0, 0, 0, None, ""),
        (1, 0, 0, "unordered-invalidation", "no SFENCE.W.INVAL was between the change and it"),
        (2, 0, 0, "unordered-invalidation", "SFENCE.INVAL.IR was needed after it"),
        # The walker of a U74 as described remembers no pointers; one that does finds more.
        (0, 1, 8, None, ""),
        (3, 1, 0, None, ""),
        (3, 1, 8, "stale-table", "SFENCE.VMA with rs1 = x0 was needed"),
    ],
)
def test_fences_of_svinval_and_of_tables(
    forgets: int, uses: int, pointers: int, cause: str | None, text: str, tmp_path: Path
) -> None:
    options = (f"-DFORGETS={forgets}", f"-DUSES={uses}")
    image = build(HERE / "guest" / "invalidated.S", tmp_path, *options)
    told = (MACHINES / "virt-rv64.toml").read_text()
    machine = tmp_path / "walker.toml"
    said = f"remembers-invalid = true\nremembers-pointers = {pointers}"
    machine.write_text(re.sub("remembers-invalid = true", said, told))
    stats = tmp_path / "stats.json"
    check = ("--check", "coherence", "--stats", str(stats))
    run(image, str(machine), *check, status=0 if cause is None else 1)
    findings = json.loads(stats.read_text())["findings"]
    assert {finding["cause"] for finding in findings} == ({cause} if cause else set())
    assert all(text in finding["text"] for finding in findings)
    if QEMU is not None:  # which hides it
        assert on_qemu(image, "-cpu", "rv64,svinval=on") == b""


@pytest.mark.parametrize(("skips", "causes"), [(0, []), (1, ["stale-translation"])])
def test_a_fault_that_only_the_tlb_asked_for(skips: int, causes: list[str], tmp_path: Path) -> None:
    """A handler may fence and return; one that passes over the access has lost it."""
    image = build(HERE / "guest" / "widened.S", tmp_path, f"-DSKIPS={skips}")
    stats = tmp_path / "stats.json"
    run(image, "virt-u74", "--check", "coherence", "--stats", str(stats), status=len(causes))
    findings = json.loads(stats.read_text())["findings"]
    assert [finding["cause"] for finding in findings] == causes


def test_a_kernel_that_leaves_accessed_and_dirty_bits_to_the_processor(tmp_path: Path) -> None:
    """It runs on what QEMU's `virt` is, and dies on a core as sold, which says why."""
    image = build(HERE / "guest" / "accessed.S", tmp_path)
    run(image, "virt-rv64")
    command = [machine_binary(), "boot", "--machine", "virt-u74", "--bios", "none"]
    done = subprocess.run(
        [*command, "--kernel", str(image)], capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 1
    first = done.stderr.splitlines()[0]
    assert first.startswith("switchyard-machine: the guest died: instruction page fault at its own")
    assert "before that, instruction page fault at pc 0x800000" in first
    assert first.endswith("(its page-table entry has no accessed bit)")
