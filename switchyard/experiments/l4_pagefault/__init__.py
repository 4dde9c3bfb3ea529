# SPDX-License-Identifier: Apache-2.0
"""What a page fault costs, by its kind: served by a pager, or by the kernel alone.

Nothing is published for it on this processor. A partner in a space of its own makes one access at
a time (bench/l4/fault.c); the time is that of the access, with everything that it caused.
"""
