# SPDX-License-Identifier: Apache-2.0
"""Tools: what a computer lacks, how fast the simulator is, new guests, sweeps, faults."""
