/* SPDX-License-Identifier: Apache-2.0 */
/* Ethernet frames, without their CRC. */
#ifndef FRAME_H
#define FRAME_H

#define MAC_BYTES  6
#define FRAME_MOST 1514u
/* What to have for one: whole words. */
#define FRAME_ROOM 1516u

#endif
