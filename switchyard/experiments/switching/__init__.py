# SPDX-License-Identifier: Apache-2.0
"""Every way to switch between address spaces on every machine, against a full flush.

Two questions of the papers, asked of all: round trips among n spaces (Fig. 5 of the FASS paper) and
ping-pong with a working set (Fig. 4 of the paper on small spaces). Of the latter the PC's runs are
those of `l4-small-spaces`, which are made once.
"""
