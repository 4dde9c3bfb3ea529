# SPDX-License-Identifier: Apache-2.0
"""Fig. 2 of the FASS paper: lmbench's lat_ctx on Linux that flushes at each switch, and fast.

A ring of 2 to 40 processes, each touching 0 to 16 KB, passes a token; what passing and touching
take without a switch is measured by one process alone and taken off, as lmbench does. The paper
draws the figure and gives none of its values for the original kernel in words; what it does say in
numbers is what a switch can cost at worst (section 2), and that is the line here.
"""
