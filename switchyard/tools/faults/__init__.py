# SPDX-License-Identifier: Apache-2.0
"""Faults that are planted in Linux' fast address-space switching, and what finds them."""
