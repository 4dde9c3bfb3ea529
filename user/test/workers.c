/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#define WORKER_STACK 2048

static struct {
    L4_ThreadId_t id;
} workers[MAX_WORKERS];
static uint8_t stacks[MAX_WORKERS][WORKER_STACK] __attribute__((aligned(8)));

/* Root's thread is first in its UTCB area. */
#define FIRST_WORKER_UTCB 1u

static L4_Word_t next_number;
static L4_Word_t next_version = 1;

L4_ThreadId_t new_thread_id(void) {
    L4_Word_t first = L4_ThreadNo(L4_RootServerId(L4_GetKernelInterface())) + 1;
    L4_Word_t last = (1u << L4_ThreadIdBits(L4_GetKernelInterface())) - 1;
    if (next_number < first || next_number > last || next_number >= first + 200) {
        next_number = first;
        next_version++;
        if ((next_version & 0x3f) == 0) {
            next_version++;
        }
    }
    return L4_GlobalId(next_number++, next_version);
}

static unsigned index_of(L4_ThreadId_t id) {
    for (unsigned i = 0; i < MAX_WORKERS; i++) {
        if (workers[i].id.raw == id.raw) {
            return i;
        }
    }
    return MAX_WORKERS;
}

L4_Word_t worker_stack(L4_ThreadId_t id) {
    return (L4_Word_t)(uintptr_t)(stacks[index_of(id)] + WORKER_STACK);
}

L4_ThreadId_t worker_create(void) {
    unsigned i = index_of(L4_nilthread);
    if (i == MAX_WORKERS) {
        return L4_nilthread;
    }
    L4_ThreadId_t id = new_thread_id();
    L4_ThreadId_t me = L4_MyGlobalId();
    uintptr_t utcb = (uintptr_t)L4_MyUtcb() + (FIRST_WORKER_UTCB + i) * L4_UTCB_SIZE;
    if (!L4_ThreadControl(id, me, me, me, (void *)utcb)) {
        return L4_nilthread;
    }
    workers[i].id = id;
    return id;
}

bool worker_go(L4_ThreadId_t id, void (*body)(void)) {
    L4_LoadMR(0, L4_MakeMsgTag(0, L4_START_WORDS, 0).raw);
    L4_LoadMR(1, (L4_Word_t)(uintptr_t)body);
    L4_LoadMR(2, worker_stack(id));
    return L4_IpcSucceeded(L4_Send_Timeout(id, PATIENCE)) != 0;
}

L4_ThreadId_t worker_start(void (*body)(void), L4_Word_t priority) {
    L4_ThreadId_t id = worker_create();
    if (id.raw == 0 || L4_Set_Priority(id, priority) == L4_SCHEDULE_ERROR || !worker_go(id, body)) {
        test_fail(__FILE_NAME__, __LINE__, "a thread could be made", L4_ErrorCode(), 0);
        return L4_nilthread;
    }
    return id;
}

void worker_delete(L4_ThreadId_t id) {
    (void)L4_ThreadControl(id, L4_nilthread, L4_nilthread, L4_nilthread, (void *)~(uintptr_t)0);
    workers[index_of(id)].id = L4_nilthread;
}

void workers_delete_all(void) {
    for (unsigned i = 0; i < MAX_WORKERS; i++) {
        if (workers[i].id.raw != 0) {
            worker_delete(workers[i].id);
        }
    }
}

L4_Word_t error_of(L4_MsgTag_t tag) {
    return L4_IpcFailed(tag) ? L4_ErrorCode() : 0;
}

L4_Word_t send_word(L4_ThreadId_t to, L4_Word_t label, L4_Word_t word) {
    L4_LoadMR(0, L4_MakeMsgTag(label, 1, 0).raw);
    L4_LoadMR(1, word);
    return error_of(L4_Send_Timeout(to, PATIENCE));
}

L4_Word_t receive_word(L4_ThreadId_t from, L4_Word_t *word) {
    L4_MsgTag_t tag = L4_Receive_Timeout(from, PATIENCE);
    L4_StoreMR(1, word);
    return error_of(tag);
}
