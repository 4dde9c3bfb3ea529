# SPDX-License-Identifier: Apache-2.0
"""What people see: tables, figures, the report, the book, pages to step through."""
