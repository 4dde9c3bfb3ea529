# SPDX-License-Identifier: Apache-2.0
# Where the policy stands in tables; the first is what a kernel has by itself (arch.mk).
POLICY_ORDER := 4
