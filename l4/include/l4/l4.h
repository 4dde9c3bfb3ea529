/* SPDX-License-Identifier: Apache-2.0 */
/* Everything of L4 X.2 that programs use. */
#ifndef L4_L4_H
#define L4_L4_H

#include <l4/bootinfo.h>
#include <l4/ipc.h>
#include <l4/kdebug.h>
#include <l4/kip.h>
#include <l4/misc.h>
#include <l4/protocol.h>
#include <l4/schedule.h>
#include <l4/sigma0.h>
#include <l4/space.h>
#include <l4/thread.h>

#endif
