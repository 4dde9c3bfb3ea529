# SPDX-License-Identifier: Apache-2.0
"""Fig. 4 of the FASS paper: *extreme*, the most that shared TLB entries can save.

Processes read a byte of each of the same p pages and yield, by turns; the pages are mapped
privately (each process at addresses of its own) or shared (at one address). The paper has this for
Linux; here it is L4 with `fass` and `fass-shared`. Its figure is given in words.
"""
