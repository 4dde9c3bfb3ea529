# SPDX-License-Identifier: Apache-2.0
"""What is published of the real processors and anybody can measure again, beside the machines here.

Linux's delay loop by the loops_per_jiffy that boards print when they boot; single instructions by
the manuals' tables; memory by a chain of pointers, single words and blocks; coprocessor 15. The
guest (bench/silicon.c) has no operating system: what it measures is the machine alone.
"""
