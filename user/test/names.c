/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every name of the generic programming interface, used as a program for X.2 would: that it is
 * there, takes what the manual says, and gives what it says.
 */
#include "test.h"

static void kernel_interface(void) {
    L4_Word_t version, flags, id, year, month, day;
    void *kip = L4_KernelInterface(&version, &flags, &id);
    EQUAL(L4_ApiVersion(), version);
    EQUAL(L4_ApiFlags(), flags);
    EQUAL(L4_KernelId(), id);
    CHECK(L4_KernelVersion(kip) != 0 && L4_KernelSupplier(kip) != 0);
    L4_KernelGenDate(kip, &year, &month, &day);
    CHECK(year > 2000 && month >= 1 && month <= 12 && day >= 1 && day <= 31);
    EQUAL(strncmp(L4_KernelVersionString(kip), "Switchyard", 10), 0);
    CHECK(L4_Feature(kip, 0) != NULL); /* the scheme */
    CHECK(L4_Feature(kip, 1) == NULL);
    CHECK(L4_HasFeature(L4_Feature(kip, 0)) && !L4_HasFeature("another"));
    EQUAL(L4_PageSizeMask(kip), L4_PAGE_SIZES);
    CHECK((L4_PageRights(kip) & L4_ReadWriteOnly) == L4_ReadWriteOnly);
    EQUAL(L4_ReadPrecision(kip), 1);
    EQUAL(L4_SchedulePrecision(kip), 1);
    CHECK(L4_ProcDesc(kip, 0) != NULL && L4_ProcDesc(kip, L4_NumProcessors(kip)) == NULL);
    CHECK(L4_ProcDescInternalFreq(L4_ProcDesc(kip, 0)) >= 100000); /* kHz */
    CHECK(L4_ProcDescExternalFreq(L4_ProcDesc(kip, 0)) != 0);
    L4_Word_t n = L4_NumMemoryDescriptors(kip);
    CHECK(L4_MemoryDesc(kip, n) == NULL);
    bool conventional = false;
    for (L4_Word_t i = 0; i < n; i++) {
        const L4_MemoryDesc_t *d = L4_MemoryDesc(kip, i);
        CHECK(L4_MemoryDescHigh(d) > L4_MemoryDescLow(d));
        conventional |=
            !L4_IsMemoryDescVirtual(d) && L4_MemoryDescType(d) == L4_ConventionalMemoryType;
    }
    CHECK(conventional);
}

static void ids(void) {
    L4_ThreadId_t id = L4_GlobalId(77, 5);
    EQUAL(L4_ThreadNo(id), 77);
    EQUAL(L4_Version(id), 5);
    CHECK(L4_IsGlobalId(id) && !L4_IsLocalId(id));
    CHECK(L4_IsThreadEqual(id, id) && L4_IsThreadNotEqual(id, L4_Myself()));
    CHECK(L4_IsNilThread(L4_nilthread) && !L4_IsNilThread(L4_anythread));
    CHECK(L4_IsLocalId(L4_MyLocalId()) && L4_IsLocalId(L4_anylocalthread));
    CHECK(L4_SameThreads(L4_MyLocalId(), L4_MyGlobalId()));
}

static void times(void) {
    L4_Time_t a = L4_TimePeriod(500), b = L4_TimePeriod(300);
    EQUAL(L4_PeriodMicroseconds(L4_TimeAdd(a, b)), 800);
    EQUAL(L4_PeriodMicroseconds(L4_TimeSub(a, b)), 200);
    EQUAL(L4_TimeSub(b, a).raw, L4_ZeroTime.raw);
    EQUAL(L4_TimeAdd(a, L4_Never).raw, L4_Never.raw);
    (void)L4_TimeAddTo(&a, b);
    (void)L4_TimeSubFrom(&a, L4_TimePeriod(100));
    EQUAL(L4_PeriodMicroseconds(a), 700);
    CHECK(L4_IsTimeLonger(a, b) && L4_IsTimeShorter(b, a) && L4_IsTimeLonger(L4_Never, a));
    CHECK(L4_IsTimeEqual(a, L4_TimePeriod(700)) && L4_IsTimeNotEqual(a, b));
    L4_Clock_t now = L4_SystemClock();
    L4_Clock_t later = L4_ClockAddUsec(now, 5);
    CHECK(L4_IsClockLater(later, now) && L4_IsClockEarlier(now, later));
    CHECK(L4_IsClockEqual(L4_ClockSubUsec(later, 5), now) && L4_IsClockNotEqual(now, later));
    EQUAL(L4_Timeouts(a, b), (L4_Word_t)a.raw << 16 | b.raw);
}

/* A point in time as a timeout: it ends then, whatever the distance's exponent is. */
static void time_points(void) {
    static const L4_Word_t periods[] = {700, 3000, 20000, 150000};
    for (unsigned i = 0; i < 4; i++) {
        L4_Clock_t now = L4_SystemClock();
        L4_Clock_t at = L4_ClockAddUsec(now, periods[i]);
        L4_Sleep(L4_TimePoint(at));
        L4_Word_t slept = (L4_Word_t)(L4_SystemClock().raw - now.raw);
        FAIL_IF(slept + periods[i] / 256 + 2 < periods[i] || slept > periods[i] + 50000,
                "slept until the point", slept, periods[i]);
    }
}

static void fpages(void) {
    L4_Fpage_t f = L4_Fpage(0x12345678, 0x1800);
    EQUAL(L4_Address(f), 0x12344000);
    EQUAL(L4_Size(f), 0x2000);
    EQUAL(L4_SizeLog2(f), 13);
    CHECK(L4_IsFpageEqual(f, L4_FpageLog2(0x12344000, 13)));
    L4_Set_Rights(&f, L4_Readable);
    EQUAL(L4_Rights(f), L4_Readable);
    L4_FpageAddRightsTo(&f, L4_Writable);
    EQUAL(L4_Rights(f), L4_ReadWriteOnly);
    L4_FpageRemoveRightsFrom(&f, L4_Readable);
    EQUAL(L4_Rights(f), L4_Writable);
    EQUAL(L4_Rights(L4_FpageRemoveRights(L4_FpageAddRights(f, 5), 2)), L4_ReadeXecOnly);
    CHECK(L4_IsNilFpage(L4_Nilpage) && L4_IsCompleteAddressSpace(L4_CompleteAddressSpace));
    CHECK(!L4_WasWritten(L4_Nilpage) && !L4_WasReferenced(L4_Nilpage) &&
          !L4_WaseXecuted(L4_Nilpage));
}

static void messages(void) {
    L4_Msg_t msg, copy;
    L4_StringItem_t got;
    L4_MapItem_t item;
    L4_GrantItem_t grant;
    L4_Word_t words[4] = {1, 2, 3, 4};
    L4_MsgClear(&msg);
    L4_Set_MsgLabel(&msg, 9);
    EQUAL(L4_MsgLabel(&msg), 9);
    L4_MsgAppendWord(&msg, 11);
    L4_MsgAppendMapItem(&msg, L4_MapItem(L4_FpageLog2(0x4000, 12), 0x8000));
    L4_MsgAppendGrantItem(&msg, L4_GrantItem(L4_FpageLog2(0x5000, 12), 0x9000));
    L4_MsgAppendWord(&msg, 12);
    L4_StringItem_t s = L4_StringItem(8, words);
    CHECK(L4_IsStringItem(&s) && !L4_CompoundString(&s));
    L4_MsgAppendSimpleStringItem(&msg, s);
    (void)L4_AddSubstringAddressTo(&s, words + 2);
    L4_StringItem_t tail = L4_StringItem(4, words + 1);
    (void)L4_AddSubstringTo(&s, &tail);
    CHECK(L4_CompoundString(&s));
    EQUAL(L4_Substrings(&s), 2);
    EQUAL((uintptr_t)L4_Substring(&s, 1), (uintptr_t)(words + 2));
    EQUAL(L4_StringItemWords(&s), 5);
    L4_MsgAppendStringItem(&msg, &s);
    EQUAL(L4_UntypedWords(L4_MsgMsgTag(&msg)), 2);
    EQUAL(L4_TypedWords(L4_MsgMsgTag(&msg)), 2 + 2 + 2 + 5);
    L4_MsgGetWord(&msg, 1, &words[0]);
    EQUAL(L4_MsgWord(&msg, 0) * 100 + words[0], 1112);
    EQUAL(L4_MsgGetMapItem(&msg, 0, &item), 2);
    CHECK(L4_IsMapItem(item));
    EQUAL(L4_MapItemSndBase(item), 0x8000);
    EQUAL(L4_Address(L4_MapItemSndFpage(item)), 0x4000);
    EQUAL(L4_MsgGetGrantItem(&msg, 2, &grant), 2);
    CHECK(L4_IsGrantItem(grant));
    EQUAL(L4_GrantItemSndBase(grant), 0x9000);
    EQUAL(L4_Address(L4_GrantItemSndFpage(grant)), 0x5000);
    EQUAL(L4_MsgGetMapItem(&msg, 2, &item), 2);
    CHECK(!L4_IsMapItem(item));
    EQUAL(L4_MsgGetStringItem(&msg, 4, &got), 2);
    EQUAL(L4_MsgGetStringItem(&msg, 6, &got), 5);
    EQUAL(got.raw[4], (uintptr_t)(words + 1));
    for (L4_Word_t at = 3; at < 9; at += 2) {
        EQUAL(msg.msg[at] & 1, 1); /* another item follows */
    }
    EQUAL(msg.msg[9] & 1, 0);
    L4_MsgLoad(&msg);
    L4_MsgStore(L4_MsgTag(), &copy);
    EQUAL(memcmp(msg.msg, copy.msg, 14 * sizeof(L4_Word_t)), 0);
    L4_MsgPut(&msg, 5, 1, words, 2, item.raw);
    L4_MsgPutWord(&msg, 0, 99);
    L4_MsgPutMapItem(&msg, 0, L4_MapItem(L4_Nilpage, 0x3000));
    L4_MsgGet(&msg, words, item.raw);
    EQUAL(words[0], 99);
    EQUAL(L4_MapItemSndBase(item), 0x3000);
    L4_MsgPutSimpleStringItem(&msg, 0, L4_StringItem(3, words));
    L4_Set_MsgWord(&msg, 0, 98);
    EQUAL(L4_MsgWord(&msg, 0), 98);
    EQUAL(L4_CacheAllocationHint(L4_AddCacheAllocationHint(tail, L4_AllocateNewCacheLines)).raw,
          L4_AllocateNewCacheLines.raw);
}

static void tags(void) {
    L4_MsgTag_t tag = L4_MsgTagAddLabel(L4_Niltag, 3);
    EQUAL(L4_Label(tag), 3);
    (void)L4_MsgTagAddLabelTo(&tag, 4);
    CHECK(L4_IsMsgTagNotEqual(tag, L4_Niltag));
    L4_Set_MsgTag(tag);
    CHECK(L4_IsMsgTagEqual(L4_MsgTag(), tag));
    L4_Set_Propagation(&tag);
    CHECK(L4_IpcPropagated(tag) && !L4_IpcFailed(tag) && L4_IpcSucceeded(tag));
    L4_Acceptor_t a =
        L4_AddAcceptor(L4_MapGrantItems(L4_CompleteAddressSpace), L4_StringItemsAcceptor);
    CHECK(L4_HasStringItems(a) && L4_HasMapGrantItems(a));
    EQUAL(L4_RcvWindow(a).raw, L4_CompleteAddressSpace.raw);
    (void)L4_RemoveAcceptorFrom(&a, L4_StringItemsAcceptor);
    CHECK(!L4_HasStringItems(a) && L4_HasMapGrantItems(a));
    (void)L4_AddAcceptorTo(&a, L4_StringItemsAcceptor);
    L4_Accept(a);
    EQUAL(L4_Accepted().raw, a.raw);
    L4_Accept(L4_RemoveAcceptor(a, a));
    EQUAL(L4_Accepted().raw, L4_UntypedWordsAcceptor.raw);
}

static void registers(void) {
    L4_Word_t words[3] = {7, 8, 9}, got[3] = {0, 0, 0}, one;
    L4_LoadMRs(10, 3, words);
    L4_StoreMRs(10, 3, got);
    EQUAL(memcmp(words, got, sizeof words), 0);
    L4_LoadBRs(10, 3, words);
    L4_StoreBRs(10, 3, got);
    EQUAL(memcmp(words, got, sizeof words), 0);
    L4_LoadMR(5, 77);
    L4_StoreMR(5, &one);
    EQUAL(one, 77);
    L4_LoadBR(5, 78);
    L4_StoreBR(5, &one);
    EQUAL(one, 78);
}

static void echo(void) {
    L4_ThreadId_t from;
    (void)L4_Wait(&from);
    for (;;) {
        (void)L4_LreplyWait(from, &from);
    }
}

static void threads(void) {
    L4_Time_t slice, quantum;
    L4_Word_t sp, ip, flags;
    L4_ThreadId_t id = worker_start(echo, TEST_PRIORITY + 1);
    L4_Set_UserDefinedHandleOf(id, 0x55);
    EQUAL(L4_UserDefinedHandleOf(id), 0x55);
    EQUAL(L4_PagerOf(id).raw, L4_MyGlobalId().raw);
    L4_Set_PagerOf(id, L4_Pager());
    EQUAL(L4_PagerOf(id).raw, L4_Pager().raw);
    L4_Set_PagerOf(id, L4_MyGlobalId());
    L4_Set_MsgTag(L4_MakeMsgTag(6, 0, 0));
    EQUAL(L4_Label(L4_Lcall(L4_LocalIdOf(id))), 6);
    EQUAL(L4_Timeslice(id, &slice, &quantum), L4_SCHEDULE_WAITING);
    EQUAL(quantum.raw, L4_Never.raw);
    CHECK(L4_Set_Timeslice(id, L4_TimePeriod(5000), L4_Never) != L4_SCHEDULE_ERROR);
    (void)L4_Timeslice(id, &slice, &quantum);
    CHECK(L4_PeriodMicroseconds(slice) > 0 && L4_PeriodMicroseconds(slice) <= 5000);
    L4_ThreadState_t state = L4_AbortIpc_and_stop_SpIpFlags(id, &sp, &ip, &flags);
    CHECK(L4_ThreadWasIpcing(state) && L4_ThreadWasReceiving(state));
    CHECK(!L4_ThreadWasSending(state) && !L4_ThreadWasHalted(state));
    CHECK(L4_ThreadWasHalted(L4_Stop(id)));
    CHECK(sp <= worker_stack(id) && sp > worker_stack(id) - 1024);
    EQUAL(L4_Timeslice(id, &slice, &quantum), L4_SCHEDULE_INACTIVE);
    L4_Start_SpIpFlags(id, worker_stack(id), (L4_Word_t)(uintptr_t)echo, 0);
    L4_Set_MsgTag(L4_MakeMsgTag(7, 0, 0));
    EQUAL(L4_Label(L4_Lcall(id)), 7);
    L4_Set_CopFlag(3);
    EQUAL(L4_MyUtcb()->cop_flags, 8);
    L4_Clr_CopFlag(3);
    EQUAL(L4_MyUtcb()->cop_flags, 0);
    CHECK(!L4_EnablePreemptionFaultException() && L4_DisablePreemptionFaultException());
    CHECK(!L4_DisablePreemption() && L4_EnablePreemption() && !L4_PreemptionPending());
    L4_Set_XferTimeouts(5);
    EQUAL(L4_XferTimeouts(), 5);
    L4_Set_XferTimeouts(0);
    EQUAL(L4_ProcessorNo(), 0);
}

static void memory(void) {
    NEEDS_PROTECTION;
    L4_Fpage_t one[2];
    uint8_t *frame = frame_alloc();
    L4_Fpage_t fpage = L4_FpageLog2((L4_Word_t)frame, FRAME_LOG2);
    EQUAL(L4_Set_PageAttribute(fpage, L4_MEMORY_UNCACHED), 1);
    frame[5] = 6;
    EQUAL(frame[5], 6);
    EQUAL(L4_Set_PageAttribute(fpage, L4_MEMORY_DEFAULT), 1);
    EQUAL(frame[5], 6);
    one[0] = one[1] = L4_FpageAddRights(fpage, L4_FullyAccessible);
    L4_UnmapFpages(2, one);
    (void)L4_GetStatus(fpage);
    EQUAL(frame[5], 6); /* was taken from others only */
    frame_free(frame);
}

const struct test name_tests[] = {
    {"name_kernel_interface", kernel_interface},
    {"name_ids", ids},
    {"name_times", times},
    {"name_time_points", time_points},
    {"name_fpages", fpages},
    {"name_messages", messages},
    {"name_tags", tags},
    {"name_registers", registers},
    {"name_threads", threads},
    {"name_memory", memory},
    {NULL, NULL},
};
