# SPDX-License-Identifier: Apache-2.0
"""How the experiment of `jobs_test` is shown: as every experiment, by a view of its records."""
