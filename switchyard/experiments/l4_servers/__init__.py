# SPDX-License-Identifier: Apache-2.0
"""A ping that a system of servers answers: network driver and IP stack in spaces of their own."""
