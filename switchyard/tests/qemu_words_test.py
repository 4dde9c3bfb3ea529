# SPDX-License-Identifier: Apache-2.0
"""QEMU's command lines, as they stand in kernels' build files, and what `boot` makes of them."""

import pytest

from switchyard import cli
from switchyard.commands.qemu_words import translated
from switchyard.errors import InputError


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        (
            "-M versatilepb -m 128M -nographic -kernel k.elf -append a",
            "--machine versatilepb --ram 128M --kernel k.elf --append a",
        ),
        (
            "-machine pc -m 64 -kernel k -initrd a,b -serial mon:stdio -display none",
            "--machine p4-willamette --ram 64M --kernel k --initrd a,b",
        ),
        ("-M collie -kernel k -s -S", "--machine collie --kernel k --gdb :1234"),
        ("-kernel k -gdb tcp::99 -S", "--kernel k --gdb :99"),
        ("-kernel k -semihosting", "--kernel k --semihosting"),
        (
            "-kernel k -semihosting-config enable=on,target=native",
            "--kernel k --semihosting",
        ),
        ("-drive if=sd,file=d,format=raw", "--drive if=sd,file=d,format=raw"),
        (
            "-M virt -cpu rv64 -smp 3 -bios none -kernel k -accel tcg "
            "-global virtio-mmio.force-legacy=false -device virtio-net-device,netdev=n0 "
            "-drive file=f,if=none,format=raw,id=x0 -device virtio-blk-device,drive=x0",
            "--machine virt-rv64 --bios none --kernel k --global virtio-mmio.force-legacy=false "
            "--drive file=f,if=none,format=raw,id=x0",
        ),
        (
            "-kernel k -device virtio-serial-device -chardev stdio,id=c0,mux=on "
            "-device virtconsole,chardev=c0 -serial chardev:c0",
            "--kernel k --device virtio-serial-device --device virtconsole",
        ),
        ("-m sa1110 -k k.elf", "-m sa1110 -k k.elf"),
        ("--linux --run ./p -m 64 -s", "--linux --run ./p -m 64 -s"),
    ],
)
def test_what_is_known_is_taken_over(theirs: str, ours: str) -> None:
    assert translated(["boot", *theirs.split()]) == ["boot", *ours.split()]
    assert translated(["--path", "x", "boot", *theirs.split()])[3:] == ours.split()
    assert translated(["run", *theirs.split()]) == ["run", *theirs.split()]


def test_that_there_is_one_processor_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert translated("boot -smp 3 -kernel k".split()) == "boot --kernel k".split()
    assert capsys.readouterr().err == "switchyard: -smp 3: there is one processor here\n"
    assert translated("boot -smp 1 -kernel k".split()) == "boot --kernel k".split()
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("theirs", "said"),
    [
        ("-M virt -cpu cortex-a53 -kernel k", "-cpu: QEMU's; expected --machine alone"),
        ("-kernel k -m 128Q", "-m 128Q: no size; expected such as 256M"),
        ("-kernel k -device virtio-gpu-device", "-device: QEMU's; expected the board's own"),
        ("-kernel k -chardev pty,id=c", "-chardev: QEMU's; expected stdio"),
        ("-kernel k -nic user", "--net WHERE"),
        ("-serial tcp::4444", "expected stdio"),
        ("-kernel k -S", "expected -s as well"),
        ("-kernel", "-kernel: no value"),
    ],
)
def test_what_is_not_is_one_line(
    theirs: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(InputError):
        translated(["boot", *theirs.split()])
    assert cli.execute(["boot", *theirs.split()]) == 2
    shown = capsys.readouterr().err
    assert said in shown
    assert shown.count("\n") == 1
