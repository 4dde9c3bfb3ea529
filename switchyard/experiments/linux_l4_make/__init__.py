# SPDX-License-Identifier: Apache-2.0
"""A compilation, and that of a microkernel, where Linux is a server on L4.

Section 4.9 of the paper on small spaces.

Debian's TCC and our microkernel stand for gcc and L4Ka/Hazelnut.
"""
