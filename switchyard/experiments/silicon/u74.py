# SPDX-License-Identifier: Apache-2.0
"""SiFive's U74 by the cases of bench/u74/silicon.c, in the order in which they are run there."""

from collections.abc import Mapping
from itertools import product

MACHINE = "virt-u74"


INSTRUCTIONS = {
    "empty": "the loop without any step",
    "alu": "ADD",
    "alu_chain": "ADD of the ADD before",
    "mul": "MUL, not used",
    "mul_chain": "MUL of the MUL before",
    "load": "LD, not used",
    "store": "SD",
    "load_alu": "LD, and an ADD of what it loads",
    "branch_not": "a branch, not taken",
    "fadd_s": "FADD.S of the one before",
    "fmul_s": "FMUL.S of the one before",
    "fmadd_s": "FMADD.S of the one before",
    "fmin_s": "FMIN.S of the one before",
    "fadd_d": "FADD.D of the one before",
    "fmul_d": "FMUL.D of the one before",
    "fmadd_d": "FMADD.D of the one before",
    "fmin_d": "FMIN.D of the one before",
    "convert_s": "to a 32-bit integer and back to single",
    "convert_d": "to a 64-bit integer and back to double",
    "move_d": "a double to an integer register and back",
    "widen": "single to double and back",
}
CHAINS = {
    "chase_16k": "a chain of pointers through 16 KB",
    "chase_256k": "through 256 KB",
    "chase_2m": "through 2 MB",
    "chase_8m": "through 8 MB",
}
# Bytes at random: the sizes, the first of which is in the first-level cache, and the pages.
SIZES = {
    "16k": "16 KB", "256k": "256 KB", "512k": "512 KB", "1m": "1 MB", "2m": "2 MB", "16m": "16 MB"
}  # fmt: skip
PAGES = {"small": "4 KB", "large": "2 MB"}
RANDOM = {
    f"random_{size}_{pages}": f"a byte at random in {SIZES[size]}, in pages of {PAGES[pages]}"
    for size, pages in product(SIZES, PAGES)
}
BLOCKS = {"fill": "a line of 64 bytes filled", "copy": "a line copied to another"}
CASES = INSTRUCTIONS | CHAINS | RANDOM | BLOCKS

IN_CACHE, *OUTSIDE = SIZES


def derived(cycles: Mapping[str, float]) -> dict[str, float]:
    """What the published measurement gives: cycles over those of the first-level cache.

    `over_...` is a byte's, by its pages; `tlb_...` what of it small pages cost.
    """
    found: dict[str, float] = {}
    for size in OUTSIDE:
        over = {
            pages: cycles[f"random_{size}_{pages}"] - cycles[f"random_{IN_CACHE}_{pages}"]
            for pages in PAGES
        }
        found |= {f"over_{size}_{pages}": value for pages, value in over.items()}
        found[f"tlb_{size}"] = over["small"] - over["large"]
    return found


OVER = {
    f"over_{size}_{pages}": f"a byte in {SIZES[size]}, pages of {PAGES[pages]}"
    for size, pages in product(OUTSIDE, PAGES)
}
TLB = {f"tlb_{size}": f"what pages of 4 KB cost in {SIZES[size]}" for size in OUTSIDE}
