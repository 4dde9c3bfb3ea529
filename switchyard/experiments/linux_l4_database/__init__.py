# SPDX-License-Identifier: Apache-2.0
"""Queries to a database server where Linux is a server on L4 (4.7 of the paper on small spaces).

SQLite as Debian has it, in a process that answers over a Unix socket, stands for MySQL.
"""
