/* SPDX-License-Identifier: Apache-2.0 */
/* A client of bench/ipc.c: says once that it is there, then answers every message at once. */
#include "os/os.h"

int main(void) {
    os_serve();
}
