/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What cache.c uses of QEMU's interface for TCG plugins, declared here because Debian's packages
 * of QEMU have no header for it. Names and types are those of QEMU 7.2's documentation
 * (docs/devel/tcg-plugins.rst, API version 1); later versions have these unchanged.
 */
#ifndef QEMU_PLUGIN_API_H
#define QEMU_PLUGIN_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What QEMU looks for in a plugin. */
#define EXPORT __attribute__((visibility("default")))

typedef uint64_t qemu_plugin_id_t;
typedef uint32_t qemu_plugin_meminfo_t;

/* QEMU's own objects: only ever handed back. */
struct qemu_plugin_tb;
struct qemu_plugin_insn;
struct qemu_plugin_hwaddr;
struct qemu_info_t;

/* What a callback does with the guest's registers, and which accesses it hears of. */
enum qemu_plugin_cb_flags { QEMU_PLUGIN_CB_NO_REGS = 0 };
enum qemu_plugin_mem_rw { QEMU_PLUGIN_MEM_RW = 3 };

typedef void qemu_plugin_tb_trans_cb(qemu_plugin_id_t id, struct qemu_plugin_tb *block);
typedef void qemu_plugin_insn_cb(unsigned int vcpu, void *userdata);
typedef void qemu_plugin_mem_cb(unsigned int vcpu, qemu_plugin_meminfo_t info, uint64_t va,
                                void *userdata);
typedef void qemu_plugin_atexit(qemu_plugin_id_t id, void *userdata);

void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id, qemu_plugin_tb_trans_cb *callback);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn,
                                            qemu_plugin_insn_cb *callback,
                                            enum qemu_plugin_cb_flags flags, void *userdata);
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn, qemu_plugin_mem_cb *callback,
                                      enum qemu_plugin_cb_flags flags, enum qemu_plugin_mem_rw rw,
                                      void *userdata);
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id, qemu_plugin_atexit *callback,
                                    void *userdata);

size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *block);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *block, size_t index);
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *insn);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);
struct qemu_plugin_hwaddr *qemu_plugin_get_hwaddr(qemu_plugin_meminfo_t info, uint64_t va);
bool qemu_plugin_hwaddr_is_io(const struct qemu_plugin_hwaddr *address);
uint64_t qemu_plugin_hwaddr_phys_addr(const struct qemu_plugin_hwaddr *address);
bool qemu_plugin_mem_is_store(qemu_plugin_meminfo_t info);

/* What a plugin has: the version that it was written for, and its beginning. */
extern EXPORT int qemu_plugin_version;
EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_info_t *info, int argc,
                               char **argv);

#endif
