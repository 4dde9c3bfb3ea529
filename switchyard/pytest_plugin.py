# SPDX-License-Identifier: Apache-2.0
"""The pytest fixtures `machine`, for kernels in tests, and `at_most`, a bound on their cycles.

pytest loads this wherever Switchyard is installed, so nothing else of it is imported before a test
asks for a machine. `docs/python.md` has an example.
"""

import os
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from switchyard.run.interactive import System

# A kernel that hangs in a loop shall not hang the tests: some ten seconds of the host's.
MAX_CYCLES = 1_000_000_000


class Machines:
    """What the fixture gives: call it to boot a kernel. It ends with the test."""

    def __init__(self) -> None:
        self._systems: list[System] = []

    def __call__(
        self,
        name: str | os.PathLike[str],
        kernel: str | os.PathLike[str],
        append: str = "",
        *,
        initrd: str | os.PathLike[str] | None = None,
        dtb: str | os.PathLike[str] | None = None,
        check: str | None = "coherence",
        max_cycles: int | None = MAX_CYCLES,
        restore: str | os.PathLike[str] | None = None,
        symbols: Sequence[str | os.PathLike[str]] = (),
    ) -> "System":
        """As `switchyard.Machine(name).boot(kernel, ...)`, but checked, and with an end."""
        from switchyard.run.interactive import Machine

        system = Machine(name).boot(
            kernel,
            append,
            initrd=initrd,
            dtb=dtb,
            check=check,
            max_cycles=max_cycles,
            restore=restore,
            symbols=symbols,
        )
        self._systems.append(system)
        return system

    def end(self) -> str:
        """Ends all; what the checker has found, a line each."""
        lines = []
        for system in self._systems:
            system.close()
            findings = system.stats.findings if system.stats is not None else ()
            lines += [f"{system}: {finding.text}" for finding in findings]
        self._systems.clear()
        return "\n".join(lines)


@pytest.fixture
def machine() -> Iterator[Machines]:
    """Boots kernels: `machine("sa1110", "kernel.elf")`; the checker's findings fail the test."""
    machines = Machines()
    yield machines
    machines.end()


@contextmanager
def _at_most(system: "System", cycles: int) -> Iterator[None]:
    """What the system does meanwhile takes no more cycles; else the test fails, and says why."""
    from switchyard.tools.compare import Case, Change

    def counted() -> Case:
        counters = system.counters()
        others = {name: counters.total(name) for name in counters.kernel if name != "cycles"}
        return Case("cycles", system.cycles, "cycles", 0, others)

    before = counted()
    yield
    path = Change("path", before, counted())
    if path.difference > cycles:
        why = "".join(f"\n  {reason}" for reason in path.reasons())
        pytest.fail(f"{path.difference:g} cycles, expected at most {cycles}:{why}", pytrace=False)


@pytest.fixture
def at_most() -> "Callable[[System, int], AbstractContextManager[None]]":
    """A limit of cycles for what a `with` statement runs: system, and how many."""
    return _at_most


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Generator[None, object, object]:
    """Looks for findings when the test has ended: it is the test that fails, not its teardown."""
    machines = pyfuncitem.funcargs.get("machine")
    if not isinstance(machines, Machines):
        return (yield)
    try:
        result = yield
    except BaseException:
        if findings := machines.end():
            pyfuncitem.add_report_section("call", "findings of the checker", findings)
        raise
    if findings := machines.end():
        pytest.fail(f"the checker has found:\n{findings}", pytrace=False)
    return result
