/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The mapping database from inside: splitting nodes.
 */
#ifndef SPLIT_H
#define SPLIT_H

#include "node.h"

/* Splits a node, and those of its size that came from it, into PARTS each. False: no memory. */
bool node_split(struct node *n);

#endif
