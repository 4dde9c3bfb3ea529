/* SPDX-License-Identifier: Apache-2.0 */
#include "../os/l4_image.S"
