// SPDX-License-Identifier: GPL-2.0-only
/*
 * AES as crypto/aes_generic.c has it, by tables, without the registry of ciphers that the measured
 * kernel does not have: the file is included as it is, and its registration left out.
 */
#include "overheads.h"

#include <crypto/algapi.h>
#include <linux/init.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/string.h>

#undef subsys_initcall
#define subsys_initcall(start)
#undef module_exit
#define module_exit(end)
#undef __exit /* which keeps a function that nobody calls */
#define __exit
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wunused-variable"
#include <crypto/aes_generic.c>

static struct crypto_tfm *cipher;

bool aes_prepare(void) {
    /* FIPS 197, appendix B */
    static const u8 key[] = {0x2b, 0x7e, 0x15, 0x16, 0x28, 0xae, 0xd2, 0xa6,
                             0xab, 0xf7, 0x15, 0x88, 0x09, 0xcf, 0x4f, 0x3c};
    static const u8 plain[] = {0x32, 0x43, 0xf6, 0xa8, 0x88, 0x5a, 0x30, 0x8d,
                               0x31, 0x31, 0x98, 0xa2, 0xe0, 0x37, 0x07, 0x34};
    static const u8 secret[] = {0x39, 0x25, 0x84, 0x1d, 0x02, 0xdc, 0x09, 0xfb,
                                0xdc, 0x11, 0x85, 0x97, 0x19, 0x6a, 0x0b, 0x32};
    u8 out[16];
    cipher = kzalloc(sizeof(*cipher) + sizeof(struct crypto_aes_ctx), GFP_KERNEL);
    if (!cipher || crypto_aes_set_key(cipher, key, sizeof(key))) {
        return false;
    }
    aes_block(out, plain);
    return memcmp(out, secret, sizeof(secret)) == 0;
}

void aes_block(u8 *out, const u8 *in) {
    crypto_aes_encrypt(cipher, out, in);
}
