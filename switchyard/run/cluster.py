# SPDX-License-Identifier: Apache-2.0
"""Runs on the workers of a dask cluster, which may be on other computers.

A worker needs this Switchyard installed, with the same simulator; images and machine files come
with each run, and statistics go back with its end, so there is no folder that all must see. When a
worker dies, dask gives its runs to another.
"""

import zlib
from collections.abc import Mapping
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from distributed import Client, KilledWorker
from distributed.client import FutureCancelledError
from distributed.comm.core import CommClosedError

from switchyard.data import files
from switchyard.errors import InputError, RunError
from switchyard.run import machine
from switchyard.run.jobs import Prepared
from switchyard.run.machine import Boot
from switchyard.run.store import pack, sha256

# How long a scheduler may take to answer, on a busy host, too.
PATIENCE_SECONDS = 60


@dataclass(frozen=True)
class Parcel:
    """All that a worker needs for a run. The paths in `boot` are those of the sender."""

    boot: Boot
    files: Mapping[str, tuple[str, bytes]]  # by Boot's field: a file's name and packed bytes
    described: tuple[str, bytes] | None  # the machine file, if it is one
    simulator: str  # its hash

    @classmethod
    def of(cls, prepared: Prepared) -> "Parcel":
        """What a prepared run consists of."""
        file = Path(prepared.boot.machine) if machine.is_file(prepared.boot.machine) else None
        return cls(
            prepared.boot,
            {name: _packed(path) for name, path in prepared.boot.files().items()},
            _packed(file) if file else None,
            prepared.hashes.simulator,
        )


def _packed(path: Path) -> tuple[str, bytes]:
    return path.name, zlib.compress(path.read_bytes(), 1)


def make(parcel: Parcel) -> bytes:
    """Makes a run: this is called on the worker. Gives the packed statistics."""
    simulator = machine.binary()
    if sha256(simulator) != parcel.simulator:
        raise InputError(f"{simulator}: another simulator on a worker; expected the same on all")
    with files.scratch() as folder:
        changes: dict[str, Any] = {}
        for name, (file, content) in parcel.files.items():
            changes[name] = _laid(folder / name, file, content)
        if parcel.described:
            changes["machine"] = str(_laid(folder / "machine", *parcel.described))
        return pack(machine.run(replace(parcel.boot, **changes)).text)


def _laid(folder: Path, name: str, content: bytes) -> Path:
    folder.mkdir()
    path = folder / name
    path.write_bytes(zlib.decompress(content))
    return path


class Cluster:
    """The workers that a dask scheduler has, and those that come while it lasts."""

    def __init__(self, address: str) -> None:
        try:
            client: Any = Client(  # type: ignore[no-untyped-call]
                address, timeout=PATIENCE_SECONDS, set_as_default=False
            )
        except (OSError, ValueError, TypeError) as error:
            said = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise InputError(
                f"--scheduler {address}: {said}; expected the address of a running dask scheduler"
            ) from None
        # pure=False: who asks for a run again wants it made again
        self._address = address
        self._client = client
        self._pool = client.get_executor(pure=False)

    def submit(self, prepared: Prepared) -> "Future[bytes]":
        """The packed statistics of a run, some day."""
        future: Future[bytes] = Future()

        def settle(inner: "Future[bytes]") -> None:
            try:
                future.set_result(inner.result())
            except (InputError, RunError) as error:
                future.set_exception(error)
            except KilledWorker:
                message = f"{prepared.job.name}: killed each worker that it was given to"
                future.set_exception(RunError(message))
            except (CancelledError, FutureCancelledError, CommClosedError):
                future.set_exception(
                    RunError(f"{prepared.job.name}: taken back, or the scheduler has gone")
                )
            except Exception as error:  # whatever they lack there
                future.set_exception(self._unfit(error))

        self._pool.submit(make, Parcel.of(prepared)).add_done_callback(settle)
        return future

    def _unfit(self, error: Exception) -> InputError:
        said = str(error).split(". ")[0] or type(error).__name__
        return InputError(
            f"--scheduler {self._address}: {said.rstrip('.')}; "
            "expected Switchyard installed where the scheduler and its workers run"
        )

    def end(self) -> None:
        """Takes back what was not begun, and leaves the cluster as it is."""
        self._pool.shutdown(wait=False)
        self._client.close(timeout=PATIENCE_SECONDS)
