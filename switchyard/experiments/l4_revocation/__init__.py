# SPDX-License-Identifier: Apache-2.0
"""What it costs to take its part of the small-space area from a space.

"Recycling of ASIDs is extremely costly ... the affected page table entries in the small space area
must be purged from every single existing page table" (Uhlig et al., section 5.1). No value of this
is published.
"""
