# SPDX-License-Identifier: Apache-2.0
"""Figs. 4 and 5 of the uClinux paper: lmbench's lat_ctx over FIFOs, with an MMU and without one.

A ring of 2 to 16 processes, started by vfork(), each touching 0, 1 or 16 KB, passes a token; what
passing and touching take without a switch is taken off, as lmbench does. The paper draws the
figures and gives three of their values in words: how many times faster uClinux is. A kernel that
switches address spaces fast, which it did not have, stands between its two here.
"""
