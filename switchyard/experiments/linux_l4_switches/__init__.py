# SPDX-License-Identifier: Apache-2.0
"""Which programs follow which, where Linux is a server on L4: a make, and a web server.

Section 5.2, Figs. 9 and 10 of the paper on small spaces.
"""
