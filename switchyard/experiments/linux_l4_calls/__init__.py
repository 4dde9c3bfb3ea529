# SPDX-License-Identifier: Apache-2.0
"""System calls of Linux as a server on L4, its programs in large and in small spaces.

Cycles of the shortest call and of reads and writes of 4 KB, beside native Linux, and how often page
directories were loaded for them.
"""
