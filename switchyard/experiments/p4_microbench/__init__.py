# SPDX-License-Identifier: Apache-2.0
"""What a Pentium 4's caches, TLBs, trace cache, branches and ways into the kernel cost."""
