/* SPDX-License-Identifier: Apache-2.0 */
/* For lwIP, which includes it by this name. */
#include <lib/string.h>
