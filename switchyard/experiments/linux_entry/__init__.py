# SPDX-License-Identifier: Apache-2.0
"""Table 1 of the uClinux paper: tokens and bytes through FIFOs, with an MMU and without one.

The paper's kernels were Linux and uClinux 2.6.7 on a Samsung S3C24A0; a kernel that switches
address spaces fast stands between them here. The same by pipes without names has no published
value; it shows that the name does not matter.
"""
