/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One access each, of the first argument's address; the second is the word to be written. Returns the
 * word that was read in EAX and in EDX whether it was denied: then the pager lets the thread go on
 * RANDOM_DENIED (12) bytes after.
 */
    .macro  access instruction
1:  \instruction
    xorl    %edx, %edx
    ret
    .space  12 - (. - 1b), 0x90
    movl    $1, %edx
    ret
    .endm

    .global access_load
access_load:
    movl    4(%esp), %ecx
    access  "movl (%ecx), %eax"

    .global access_store
access_store:
    movl    4(%esp), %ecx
    movl    8(%esp), %eax
    access  "movl %eax, (%ecx)"
