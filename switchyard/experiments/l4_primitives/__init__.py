# SPDX-License-Identifier: Apache-2.0
"""What the L4 kernel's primitives cost: a null system call, thread switches, a page fault."""
