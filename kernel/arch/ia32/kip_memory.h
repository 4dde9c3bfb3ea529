/* SPDX-License-Identifier: Apache-2.0 */
/* What the kernel interface page says of memory that is only on this architecture: nothing. */
#ifndef KIP_MEMORY_H
#define KIP_MEMORY_H

#define RESERVED_VA      0u
#define RESERVED_VA_SIZE 0u
#define KIP_DEVICES(ADD) /* they are at ports */

#endif
