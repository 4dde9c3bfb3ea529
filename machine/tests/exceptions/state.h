/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The register record that a case starts from and ends in: 37 words, in the order of the protocol
 * in
 * ../differential/README.md. Offsets for start.S; the record itself is in guest.h.
 */
#ifndef STATE_H
#define STATE_H

#define STATE_USR_R8   32
#define STATE_FIQ_R8   60
#define STATE_SVC_R13  88
#define STATE_ABT_R13  96
#define STATE_UND_R13  104
#define STATE_IRQ_R13  112
#define STATE_FIQ_SPSR 120
#define STATE_SVC_SPSR 124
#define STATE_ABT_SPSR 128
#define STATE_UND_SPSR 132
#define STATE_IRQ_SPSR 136
#define STATE_PC       140
#define STATE_CPSR     144
#define STATE_SIZE     148
/* What the handlers add: number of the vector (address / 4) and where the vectors were. */
#define RESULT_VECTOR 148
#define RESULT_BASE   152
#define RESULT_SIZE   156

#endif
