# SPDX-License-Identifier: Apache-2.0
"""Assumed constants of machines as people say them, for what is shown of bands."""

import re

# By the key of a machine file, or what an experiment calls several that it moves together.
SAID = {
    "branch.decoded-target": "{} cycles lost by a branch whose target is found at decode",
    "branch.history-bits": "{} bits of branch history",
    "branch.late": "{} more cycles where the late ALU finds a branch mispredicted",
    "branch.mispredicted": "{} cycles lost by a mispredicted branch",
    "clock-hz": "a clock of {} Hz",
    "dcache.ways": "{} ways of the data cache",
    "icache.ways": "{} ways of the instruction cache",
    "itlb.entries": "{} entries in the instruction TLB",
    "l2-tlb.entries": "{} entries in the second-level TLB",
    "l2-tlb.ways": "{} ways of the second-level TLB",
    "latency.complex": "{} cycles for a simple instruction of several µops",
    "latency.fp-function": "{} cycles for a floating-point function",
    "latency.l2": "{} cycles for a hit in the second-level cache",
    "latency.store": "{} cycles for a store to the second-level cache",
    "memory.device": "{} cycles for an access to a device",
    "memory.latency": "{} cycles for an access to memory",
    "memory.read-first": "{} cycles for the first word read from memory",
    "memory.read-next": "{} cycles for each further word read from memory",
    "memory.rows.bank-bytes": "{} bytes in a bank of memory",
    "memory.rows.read-conflict": "{} cycles for the first word read from another row",
    "memory.rows.read-open": "{} cycles for the first word read from the open row",
    "memory.rows.write-conflict": "{} cycles for the first word written to another row",
    "memory.rows.write-open": "{} cycles for the first word written to the open row",
    "memory.write-first": "{} cycles for the first word written to memory",
    "memory.write-next": "{} cycles for each further word written to memory",
    "memory.zeros-first": "{} cycles for the first word from the bank of zeros",
    "memory.zeros-next": "{} cycles for each further word from the bank of zeros",
    "pipeline.branch-taken": "{} cycles lost at a taken branch",
    "pipeline.exception-entry": "{} cycles lost at an exception",
    "pipeline.load-delay": "{} cycles until a loaded word can be used",
    "pipeline.load-narrow-delay": "{} cycles until a loaded byte or halfword can be used",
    "pipeline.load-signed-delay": "{} cycles until a loaded signed byte or halfword can be used",
    "pipeline.mrc-delay": "{} cycles until a coprocessor's register can be used",
    "pipeline.mrs-issue": "{} cycles for MRS",
    "pipeline.msr-control-issue": "{} cycles for MSR to the control field",
    "pipeline.multiple-min-issue": "{} cycles for LDM or STM of one register",
    "pipeline.multiply-flags-issue": "{} more cycles where a multiplication sets flags",
    "pipeline.multiply-issue": "{} cycles for the issue of a multiplication",
    "pipeline.multiply-long-issue": "{} cycles for the issue of a long multiplication",
    "pipeline.pc-load": "{} cycles lost at a load of the program counter",
    "pipeline.pc-write": "{} cycles lost at a write of the program counter",
    "pipeline.shift-by-register-issue": "{} cycles for a shift by a register",
    "pipeline.swap-delay": "{} cycles until a swapped word can be used",
    "pipeline.swap-issue": "{} cycles for SWP",
    "price.atomic": "{} cycles for an atomic operation beyond a load",
    "price.csr": "{} cycles for an access to a control and status register",
    "price.device": "{} cycles for an access to a device",
    "price.fence": "{} cycles for FENCE",
    "price.fence-i": "{} cycles for FENCE.I",
    "price.interrupt": "{} cycles for the delivery of an interrupt",
    "price.iret": "{} cycles for IRET",
    "price.memory": "{} cycles for a load that misses both caches",
    "price.memory-line": "{} cycles for which memory is busy with a line",
    "price.microcode": "{} cycles for any other instruction in microcode",
    "price.misaligned": "{} more cycles for a misaligned access",
    "price.port": "{} cycles for an access to a port",
    "price.repeat": "{} cycles for the beginning of a repeated string instruction",
    "price.second-tlb": "{} cycles for an answer of the second-level TLB",
    "price.segment": "{} cycles for a load of a segment register",
    "price.serialise": "{} cycles for any other serialising instruction",
    "price.sfence-vma": "{} cycles for SFENCE.VMA",
    "price.trap": "{} cycles for a trap",
    "price.walk": "{} cycles for a walk of the page tables beyond its reads",
    "ram-bytes": "{} bytes of memory",
    "walk.code": "{} cycles for a walk of the page tables to an instruction",
    "zeros-bank line": "{} cycles for a line from the bank of zeros",
}


def said(variant: str) -> str:
    """A variant of a machine, such as `memory.device = 6`, in words; as it is if none are known."""
    match = re.fullmatch(r"(\S.*?)(?: =)? (\d+)", variant)
    if match is None or match[1] not in SAID:
        return variant
    return SAID[match[1]].format(match[2]).replace("1 cycles", "1 cycle", match[2] == "1")
