# SPDX-License-Identifier: Apache-2.0
"""A byte to another process and back by pipes, over a working set, where Linux is a server on L4.

Fig. 6 of the paper on small spaces: native Linux, and the server with programs in large and in
small spaces. The paper tells in words what its curves show, and its Table 5 how much small spaces
are better; nothing was read off the drawing.
"""
