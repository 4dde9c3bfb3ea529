# SPDX-License-Identifier: Apache-2.0
"""What linux/6.12/fass costs where `fass=off` turns it off: each benchmark on both kernels.

A distributor builds one kernel for many boards. Whoever does not want the fast switch pays for what
was built in by what it reads to find it off, and by where the linker has put everything else.
"""
