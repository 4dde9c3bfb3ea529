/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernel tests' child: a program in a space of its own that does what its pager, the test,
 * asks for (protocol.h), one message at a time.
 */
#include <l4/l4.h>

#include "../../common/touch.h"
#include "protocol.h"

/* exceptions.S: one instruction that traps, r0 in and out. */
L4_Word_t child_undefined(L4_Word_t value);
L4_Word_t child_swi(L4_Word_t value);
L4_Word_t child_fault_keeps(L4_Word_t va, L4_Word_t number);

static L4_Word_t words[L4_NUM_MRS];
static L4_Word_t results[L4_NUM_MRS];

static L4_ThreadId_t thread(L4_Word_t raw) {
    return (L4_ThreadId_t){.raw = raw};
}

static L4_Word_t error_of(L4_MsgTag_t tag) {
    return L4_IpcFailed(tag) ? L4_ErrorCode() : 0;
}

static void compare(const volatile L4_Word32_t *at, L4_Word_t n, L4_Word_t seed) {
    results[0] = 0;
    for (L4_Word_t i = 0; i < n; i++) {
        L4_Word32_t value = at[i];
        if (value != (L4_Word32_t)CHILD_PATTERN(seed, i) && results[0]++ == 0) {
            results[1] = i;
            results[2] = value;
        }
    }
}

static void map(L4_Word_t to, L4_Word_t fpage, L4_Word_t base, L4_Word_t kind) {
    L4_Msg_t msg;
    L4_MsgClear(&msg);
    L4_Set_MsgLabel(&msg, CHILD_LABEL);
    L4_MsgAppendMapItem(&msg, (L4_MapItem_t){.raw = {(base & L4_BITS_ABOVE(10)) | kind, fpage}});
    L4_MsgLoad(&msg);
    results[0] = error_of(L4_Send_Timeout(thread(to), L4_TimePeriod(500000)));
}

static void accept(L4_Word_t from, L4_Word_t window) {
    L4_Accept(L4_MapGrantItems((L4_Fpage_t){.raw = window}));
    L4_MsgTag_t tag = L4_Receive_Timeout(thread(from), L4_TimePeriod(500000));
    L4_Accept(L4_UntypedWordsAcceptor);
    results[0] = error_of(tag);
    results[1] = tag.raw;
    L4_StoreMRs(1 + L4_UntypedWords(tag), 2, results + 2);
}

static void control(L4_Word_t which, L4_Word_t target) {
    L4_ThreadId_t id = thread(target);
    L4_Word_t old;
    const L4_Word_t attributes[4] = {L4_MEMORY_UNCACHED, 0, 0, 0};
    switch (which) {
    case CHILD_THREAD_CONTROL:
        results[0] = L4_ThreadControl(id, id, L4_MyGlobalId(), L4_nilthread, (void *)~(uintptr_t)0);
        break;
    case CHILD_SPACE_CONTROL:
        results[0] = L4_SpaceControl(id, 0, L4_Nilpage, L4_Nilpage, L4_nilthread, &old);
        break;
    case CHILD_MEMORY_CONTROL:
        L4_LoadMR(0, L4_FpageLog2(0x8000, 12).raw | L4_FullyAccessible);
        results[0] = L4_MemoryControl(0, attributes);
        break;
    case CHILD_SCHEDULE:
        results[0] = L4_Set_Priority(id, 1);
        break;
    default:
        results[0] = L4_ProcessorControl(0, 0, 0, 0);
        break;
    }
    results[1] = L4_ErrorCode();
}

/* An Ipc with everything that can be said to it. */
static L4_Word_t any_ipc(L4_Word_t n) {
    L4_ThreadId_t from = L4_nilthread;
    L4_Word_t buffers = words[6];
    L4_Set_XferTimeouts(words[4]);
    L4_Set_VirtualSender(thread(words[5]));
    L4_LoadBRs(0, buffers, words + 7);
    L4_LoadMRs(0, n - 7 - buffers, words + 7 + buffers);
    L4_MsgTag_t tag = L4_Ipc(thread(words[1]), thread(words[2]), words[3], &from);
    L4_StoreMRs(1, 16, results + 5);
    results[0] = error_of(tag);
    results[1] = tag.raw;
    results[2] = from.raw;
    results[3] = L4_ActualSender().raw;
    results[4] = L4_IntendedReceiver().raw;
    L4_Accept(L4_UntypedWordsAcceptor);
    L4_Set_XferTimeouts(0);
    return 5 + 16;
}

/* Does words[]'s operation; returns how many results there are. */
static L4_Word_t operate(L4_Word_t n) {
    volatile L4_Word32_t *at = (volatile L4_Word32_t *)(uintptr_t)words[1];
    L4_MsgTag_t tag;
    L4_ThreadId_t from;
    switch ((enum child_operation)words[0]) {
    case CHILD_READ:
        results[0] = *at;
        return 1;
    case CHILD_WRITE:
        *at = (L4_Word32_t)words[2];
        return 0;
    case CHILD_WRITE_READ:
        results[0] = *at + *(volatile L4_Word32_t *)(uintptr_t)words[3]; /* both into the cache */
        *at = (L4_Word32_t)words[2];
        results[0] = *(volatile L4_Word32_t *)(uintptr_t)words[3];
        return 1;
    case CHILD_WRITE_UNMAP_READ:
        results[0] = *at; /* into the cache, where a write alone does not bring it */
        *at = (L4_Word32_t)words[2];
        L4_LoadMR(0, words[4]);
        L4_Unmap(words[3]);
        results[0] = *(volatile L4_Word32_t *)(uintptr_t)words[5];
        return 1;
    case CHILD_EXECUTE:
        results[0] = ((L4_Word_t (*)(void))(uintptr_t)words[1])();
        return 1;
    case CHILD_FILL:
        for (L4_Word_t i = 0; i < words[2]; i++) {
            at[i] = (L4_Word32_t)CHILD_PATTERN(words[3], i);
        }
        return 0;
    case CHILD_COMPARE:
        compare(at, words[2], words[3]);
        return 3;
    case CHILD_ECHO:
        for (L4_Word_t i = 0; i < n; i++) {
            results[i] = words[i];
        }
        return n;
    case CHILD_SEND:
        L4_LoadMR(0, L4_MakeMsgTag(CHILD_LABEL, 1, 0).raw);
        L4_LoadMR(1, words[2]);
        results[0] = error_of(L4_Ipc(thread(words[1]), L4_nilthread, words[3], &from));
        return 1;
    case CHILD_CALL:
        L4_LoadMR(0, L4_MakeMsgTag(CHILD_LABEL, 1, 0).raw);
        L4_LoadMR(1, words[2]);
        tag = L4_Call_Timeouts(thread(words[1]), L4_TimePeriod(500000), L4_TimePeriod(500000));
        results[0] = error_of(tag);
        L4_StoreMR(1, &results[1]);
        return 2;
    case CHILD_RECEIVE:
        tag = L4_Ipc(L4_nilthread, thread(words[1]), words[2], &from);
        results[0] = error_of(tag);
        results[1] = tag.raw;
        L4_StoreMR(1, &results[2]);
        results[3] = from.raw;
        return 4;
    case CHILD_MAP:
        map(words[1], words[2], words[3], words[4]);
        return 1;
    case CHILD_ACCEPT:
        accept(words[1], words[2]);
        return 4;
    case CHILD_UNMAP:
        L4_LoadMR(0, words[2]);
        L4_Unmap(words[1]);
        L4_StoreMR(0, &results[0]);
        return 1;
    case CHILD_SIGMA0:
        results[0] = L4_Sigma0_GetPage_RcvWindow(L4_nilthread, (L4_Fpage_t){.raw = words[1]},
                                                 L4_CompleteAddressSpace)
                         .raw;
        return 1;
    case CHILD_CONTROL:
        control(words[1], words[2]);
        return 2;
    case CHILD_IDENTITY:
        results[0] = L4_MyGlobalId().raw;
        results[1] = L4_MyLocalId().raw;
        results[2] = (L4_Word_t)L4_GetKernelInterface();
        results[3] = L4_Pager().raw;
        return 4;
    case CHILD_UNDEFINED:
        results[0] = child_undefined(words[1]);
        return 1;
    case CHILD_SWI:
        results[0] = child_swi(words[1]);
        return 1;
    case CHILD_FAULT_KEEPS:
        results[0] = child_fault_keeps(words[1], words[2]);
        return 1;
    case CHILD_IPC:
        return any_ipc(n);
    case CHILD_SET_HANDLER:
        L4_Set_ExceptionHandler(thread(words[1]));
        return 0;
    case CHILD_READY:
        break;
    }
    return 0;
}

int main(void) {
    L4_ThreadId_t from;
    touch_all_pages();
    L4_LoadMR(0, L4_MakeMsgTag(CHILD_LABEL, 0, 0).raw);
    L4_MsgTag_t tag = L4_Ipc(L4_Pager(), L4_anythread, L4_TIMEOUTS_NEVER, &from);
    for (;;) {
        while (L4_IpcFailed(tag)) {
            tag = L4_Wait(&from);
        }
        L4_Word_t n = L4_UntypedWords(tag);
        L4_StoreMRs(1, n, words);
        n = operate(n);
        L4_LoadMR(0, L4_MakeMsgTag(CHILD_LABEL, n, 0).raw);
        L4_LoadMRs(1, n, results);
        /* Not ReplyWait: the test may be busy with another child yet. */
        tag = L4_Ipc(from, L4_anythread, L4_Timeouts(L4_TimePeriod(500000), L4_Never), &from);
    }
}
