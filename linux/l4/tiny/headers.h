/* SPDX-License-Identifier: GPL-2.0-only */
/* What cc compiles once: the headers that make begins each file with, in its order, and those that
 * most have. */
#include <linux/compiler-version.h>

#include <linux/kconfig.h>

#include <linux/compiler_types.h>

#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/slab.h>
