# SPDX-License-Identifier: Apache-2.0
"""Programs drawn from seeds, on the unmodified kernel and on the one that switches fast."""
