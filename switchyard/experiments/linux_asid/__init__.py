# SPDX-License-Identifier: Apache-2.0
"""What address-space identifiers save where a switch loses TLBs alone: Linux on SiFive's U74.

Its caches are tagged with physical addresses and keep what they have; `satp` has no identifier, so
Linux empties the TLBs at each switch. The same kernel on the same core with 16 bits of identifier
does not. Nothing is published of either.
"""
