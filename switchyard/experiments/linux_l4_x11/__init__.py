# SPDX-License-Identifier: Apache-2.0
"""Operations of an X server where Linux is a server on L4 (4.5 of the paper on small spaces).

Debian's Xtightvnc and x11perf, as they are, stand for XFree86 with a graphics card and x11perf.
"""
