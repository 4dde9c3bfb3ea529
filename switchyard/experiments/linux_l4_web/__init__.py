# SPDX-License-Identifier: Apache-2.0
"""Requests to a web server that asks a FastCGI server, where Linux is a server on L4.

Section 4.6 and Fig. 7 of the paper on small spaces: over the FastCGI server's working set.
"""
