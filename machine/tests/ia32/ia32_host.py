# SPDX-License-Identifier: Apache-2.0
"""This computer's own processor, where it is an x86: for code that 32 and 64 bits share."""

from __future__ import annotations

import ctypes
import mmap
import os
import platform

MAP_32BIT = 0x40
# mov ecx, esi; mov esi, edi (of 64 bits; the C calling convention has the arguments there)
ENTRY = bytes.fromhex("89f1 4889fe")
RETURN = b"\xc3"


def why_not() -> str | None:
    """Why code cannot run on this computer's processor."""
    if platform.machine() not in ("x86_64", "AMD64"):
        return f"the host's processor is no x86-64 but {platform.machine()}"
    if platform.system() != "Linux":
        return f"the host runs no Linux but {platform.system()}"
    try:
        Host(mmap.PAGESIZE)
    except OSError as error:
        return f"the host lets nobody write code: {error}"
    return None


class Host:
    """Memory below 2 GB, and code that is called with ESI at its start."""

    def __init__(self, size: int) -> None:
        protection = mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC
        flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | MAP_32BIT
        self._code = mmap.mmap(-1, mmap.PAGESIZE, flags=flags, prot=protection)
        self._data = mmap.mmap(-1, size, flags=flags, prot=mmap.PROT_READ | mmap.PROT_WRITE)
        function = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_uint)
        self._call = function(ctypes.addressof(ctypes.c_char.from_buffer(self._code)))
        self._address = ctypes.addressof(ctypes.c_char.from_buffer(self._data))
        assert self._address + size < 1 << 32

    def survives(self, code: bytes, data: bytes) -> bool:
        """Whether that runs to its end: tried in a process of its own."""
        child = os.fork()
        if child == 0:
            self.run(code, data, 1)
            os._exit(0)
        return os.waitpid(child, 0)[1] == 0

    def run(self, code: bytes, data: bytes, count: int) -> bytes:
        """What `code` makes of `data`, with the address of it in ESI and `count` in ECX."""
        self._code.seek(0)
        self._code.write(ENTRY + code + RETURN)
        self._data[: len(data)] = data
        self._call(self._address, count)
        return self._data[: len(data)]
