# SPDX-License-Identifier: Apache-2.0
# No data cache has to be cleaned by reading: caches are physically tagged.
CPU_DCACHE := 0
