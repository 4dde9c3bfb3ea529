// SPDX-License-Identifier: GPL-2.0-only
/*
 * A kernel module for the stress program (user/stress_modules.c), which is compiled several times:
 * the modules differ in their code alone, so that a line of one that is still in a cache when
 * another has come to its place gives a wrong answer.
 */
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/moduleparam.h>

/* From the command line of the compiler. */
#ifndef NUMBER
#error "expected NUMBER"
#endif

static unsigned int asked;

static int answer(char *buffer, const struct kernel_param *parameter) {
    return sprintf(buffer, "%u\n", (asked + NUMBER) * (2 * NUMBER + 1));
}

static const struct kernel_param_ops ops = {
    .set = param_set_uint,
    .get = answer,
};

module_param_cb(number, &ops, &asked, 0600);
MODULE_DESCRIPTION("What the stress program asks for");
MODULE_LICENSE("GPL");
