# SPDX-License-Identifier: Apache-2.0
"""`switchyard explore`: a page in which a person steps through a switch of address spaces.

`cases` knows what is worth looking at, `window` reads what the simulator writes of it, `events`
finds what happens in it and where two of them are at the same place, `page` makes the page.
"""
