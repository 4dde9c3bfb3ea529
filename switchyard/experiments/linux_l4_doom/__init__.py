# SPDX-License-Identifier: Apache-2.0
"""Doom where Linux is a server on L4 (4.8 and Fig. 8 of the paper on small spaces).

Doom in a window of Debian's Xtightvnc, with Freedoom's data, stands for LxDoom.
"""
