# SPDX-License-Identifier: Apache-2.0
"""Fig. 4 of the paper on small spaces: ping-pong between two spaces over a working set.

One program fills the trace cache, the instruction TLB or the data TLB, then sends the other a
message and waits for the answer; with large spaces, each of which has a page directory of its own,
and with small ones, which lie side by side in one. The paper tells in words what its curves show;
the published values are those words, and nothing was read off the drawing.
"""
