# SPDX-License-Identifier: Apache-2.0
"""Runs: guests are built, machines run them, results are stored by content."""
