/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ExchangeRegisters.
 */
#ifndef EXREGS_H
#define EXREGS_H

#include "tcb.h"

/* The system call, on the caller's frame. */
void exchange_registers(struct tcb *self);

#endif
