# SPDX-License-Identifier: Apache-2.0
"""Data: records and files, what is published, rows and statistics. It shows nothing."""
