/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program in C++ that uses the manual's interface as C++ has it: overloaded functions, operators,
 * fields of the kernel interface page. Chapter by chapter in the order of manual-names.txt, which
 * lists every name; that none is left out here is checked from the outside
 * (l4/tests/l4_library_test.py).
 */
#include <l4/l4.h>
#include <lib/print.h>
#include <lib/string.h>

extern "C" {
#include "test.h"
}

/* In pieces, as a function ends with the first check that fails. */
namespace {

/* ---- 1 basic interface ---- */

void kernel_interface_page() {
    L4_ApiVersion_t version;
    L4_ApiFlags_t flags;
    L4_KernelId_t id;
    L4_Word_t words[3];
    void *page = L4_KernelInterface();
    EQUAL(L4_KernelInterface(&version, &flags, &id), page);
    EQUAL(L4_KernelInterface(&words[0], &words[1], &words[2]), page);
    EQUAL(L4_GetKernelInterface(), page);
    EQUAL(version.x.version, L4_APIVERSION_X2);
    EQUAL(version.x.subversion, 5);
    EQUAL(flags.x.ee, L4_APIFLAG_LE);
    EQUAL(flags.x.ww, L4_BITS_PER_WORD == 64 ? L4_APIFLAG_64BIT : L4_APIFLAG_32BIT);
    CHECK(id.x.id != 0);
    EQUAL(L4_ApiVersion(), version.raw);
    EQUAL(L4_ApiFlags(), flags.raw);
    EQUAL(L4_KernelId(), id.raw);

    L4_KernelInterfacePage_t *kip = static_cast<L4_KernelInterfacePage_t *>(page);
    EQUAL(kip->magic, L4_MAGIC);
    EQUAL(kip->ApiVersion.raw, version.raw);
    EQUAL(kip->ApiFlags.raw, flags.raw);
    EQUAL(kip->KernelVerPtr, kip->KernDescPtr);
    EQUAL(kip->MemoryInfo.n, L4_NumMemoryDescriptors(kip));
    EQUAL(kip->UtcbAreaInfo.X.s, L4_UtcbAreaSizeLog2(kip));
    EQUAL(kip->UtcbInfo.X.a, L4_UtcbAlignmentLog2(kip));
    EQUAL(static_cast<L4_Word_t>(kip->UtcbInfo.X.m) << kip->UtcbInfo.X.a, L4_UtcbSize(kip));
    EQUAL(L4_UtcbSize(kip), L4_UTCB_SIZE);
    EQUAL(kip->KipAreaInfo.X.s, 12);
    EQUAL(L4_KipAreaSizeLog2(kip), 12);
    EQUAL(kip->BootInfo, L4_BootInfo(kip));
    EQUAL(kip->ThreadInfo.X.t, L4_ThreadIdBits(kip));
    EQUAL(kip->ThreadInfo.X.SystemBase, L4_ThreadIdSystemBase(kip));
    EQUAL(kip->ThreadInfo.X.UserBase, L4_ThreadIdUserBase(kip));
    EQUAL(kip->ProcessorInfo.X.processors + 1u, L4_NumProcessors(kip));
    EQUAL(kip->PageInfo.X.page_size_mask, L4_PageSizeMask(kip) >> 10);
    EQUAL(kip->PageInfo.X.rwx, L4_PageRights(kip));
    L4_Time_t precision;
    precision.raw = kip->ClockInfo.X.SchedulePrecision;
    EQUAL(L4_PeriodMicroseconds(precision), L4_SchedulePrecision(kip));
    precision.raw = kip->ClockInfo.X.ReadPrecision;
    EQUAL(L4_PeriodMicroseconds(precision), L4_ReadPrecision(kip));
}

void descriptors() {
    void *kip = L4_KernelInterface();
    L4_Word_t year, month, day, types = 0;
    for (L4_Word_t i = 0; i < L4_NumMemoryDescriptors(kip); i++) {
        L4_MemoryDesc_t *d = L4_MemoryDesc(kip, i);
        EQUAL(L4_Low(d), static_cast<L4_Word_t>(d->x.low) << 10);
        EQUAL(L4_High(d), (static_cast<L4_Word_t>(d->x.high) << 10) + 0x3ff);
        EQUAL(L4_IsVirtual(d), d->x.v);
        CHECK(L4_Low(d) < L4_High(d));
        types |= 1u << L4_Type(d);
    }
    bool devices = test_board()->page != 0 || probe_present(); /* in memory */
    EQUAL(types, 1u << L4_ConventionalMemoryType | 1u << L4_ReservedMemoryType |
                     (devices ? 1u << L4_DedicatedMemoryType : 0));
    EQUAL(types & (1u << L4_UndefinedMemoryType | 1u << L4_SharedMemoryType |
                   1u << L4_BootLoaderSpecificMemoryType | 1u << L4_ArchitectureSpecificMemoryType),
          0);
    L4_ProcDesc_t *p = L4_ProcDesc(kip, 0);
    EQUAL(L4_ExternalFreq(p), p->X.ExternalFreq);
    EQUAL(L4_InternalFreq(p), p->X.InternalFreq);
    CHECK(L4_InternalFreq(p) >= 100000 && L4_ExternalFreq(p) > 0);
    const L4_KernelDesc_t *desc = L4_KernelDesc(kip);
    L4_KernelGenDate(kip, &year, &month, &day);
    EQUAL(desc->KernelGenDate.X.year, year - 2000);
    EQUAL(desc->KernelGenDate.X.month, month);
    EQUAL(desc->KernelGenDate.X.day, day);
    EQUAL(desc->KernelVer.raw, L4_KernelVersion(kip));
    EQUAL(desc->KernelId.raw, L4_KernelId());
    EQUAL(desc->Supplier, L4_KernelSupplier(kip));
    EQUAL(strncmp(L4_KernelVersionString(kip), "Switchyard", 10), 0);
    CHECK(L4_Feature(kip, 0) != nullptr && L4_Feature(kip, 1) == nullptr);
}

void virtual_registers() {
    L4_Word_t words[3] = {7, 8, 9}, got[3] = {0, 0, 0}, one;
    L4_LoadMRs(10, 3, words);
    L4_StoreMRs(10, 3, got);
    EQUAL(memcmp(words, got, sizeof words), 0);
    L4_LoadBRs(10, 3, words + 0);
    L4_StoreBRs(9, 3, got);
    EQUAL(got[1], 7);
    L4_LoadMR(5, 77);
    L4_StoreMR(5, &one);
    EQUAL(one, 77);
    L4_LoadBR(5, 78);
    L4_StoreBR(5, &one);
    EQUAL(one, 78);
}

/* ---- 2 threads ---- */

void ids() {
    L4_ThreadId_t id = L4_GlobalId(77, 5), me = L4_Myself();
    L4_Size_t size = sizeof id;
    EQUAL(size, sizeof(L4_Word_t));
    EQUAL(L4_ThreadNo(id), 77);
    EQUAL(L4_Version(id), 5);
    CHECK(id == L4_GlobalId(77, 5) && !(id != L4_GlobalId(77, 5)));
    CHECK(id != L4_GlobalId(77, 6) && !(id == L4_GlobalId(78, 5)));
    CHECK(me == L4_MyGlobalId() && L4_GlobalId(L4_MyLocalId()) == me);
    CHECK(L4_LocalId(me) == L4_MyLocalId() && L4_LocalId(L4_MyLocalId()) == L4_MyLocalId());
    CHECK(L4_SameThreads(L4_MyLocalId(), me));
    CHECK(L4_IsNilThread(L4_nilthread) && L4_nilthread != L4_anythread);
    CHECK(L4_IsLocalId(L4_anylocalthread) && L4_IsGlobalId(me));
}

/* A thread that answers each message with the same one, to local callers. */
void echo() {
    L4_ThreadId_t from;
    (void)L4_Wait(&from);
    for (;;) {
        (void)L4_LreplyWait(from, &from);
    }
}

/* Echoes to callers of all spaces, and with a limit. */
void echo_global() {
    L4_ThreadId_t from;
    (void)L4_Wait(L4_Never, &from);
    for (;;) {
        (void)L4_ReplyWait(from, L4_Never, &from);
    }
}

/* Sends to its pager again and again: is sending, as long as that one waits for nothing. */
void pester() {
    L4_ThreadId_t to = L4_Pager();
    for (;;) {
        L4_Set_MsgTag(L4_Niltag);
        (void)L4_Send(to);
    }
}

L4_ThreadId_t worker(void (*body)()) {
    return worker_start(body, TEST_PRIORITY + 1);
}

L4_Word_t entry(void (*body)()) {
    return static_cast<L4_Word_t>(reinterpret_cast<uintptr_t>(body));
}

void control_registers() {
    L4_ThreadId_t handler = L4_ExceptionHandler(), pager = L4_Pager();
    EQUAL(L4_ProcessorNo(), 0);
    L4_Set_UserDefinedHandle(0x1234);
    EQUAL(L4_UserDefinedHandle(), 0x1234);
    EQUAL(L4_UserDefinedHandle(L4_Myself()), 0x1234);
    L4_Set_UserDefinedHandle(L4_Myself(), 0x4321);
    EQUAL(L4_UserDefinedHandle(), 0x4321);
    CHECK(L4_Pager(L4_Myself()) == pager);
    L4_Set_Pager(pager);
    CHECK(L4_Pager() == pager);
    L4_Set_ExceptionHandler(L4_Myself());
    CHECK(L4_ExceptionHandler() == L4_Myself());
    L4_Set_ExceptionHandler(handler);
    L4_Set_CopFlag(3);
    EQUAL(L4_MyUtcb()->cop_flags, 8);
    L4_Clr_CopFlag(3);
    EQUAL(L4_MyUtcb()->cop_flags, 0);
    L4_Set_XferTimeouts(5);
    EQUAL(L4_XferTimeouts(), 5);
    L4_Set_XferTimeouts(0);
    L4_Set_VirtualSender(L4_Myself());
    CHECK(L4_ActualSender() == L4_Myself()); /* one register, in and out */
    (void)L4_IntendedReceiver();
}

void exchange_registers() {
    L4_Word_t control, sp, ip, flags, handle;
    L4_ThreadId_t pager, id = worker(echo);
    CHECK(L4_ExchangeRegisters(id, 0, 0, 0, 0, 0, L4_nilthread, &control, &sp, &ip, &flags, &handle,
                               &pager) == L4_LocalId(id));
    CHECK(pager == L4_Myself());
    L4_Set_Pager(id, L4_Pager());
    CHECK(L4_Pager(id) == L4_Pager());
    L4_Set_Pager(id, L4_Myself());
    L4_ThreadState_t s = L4_AbortReceive_and_stop(id, &sp, &ip, &flags);
    CHECK(L4_ThreadWasReceiving(s) && L4_ThreadWasIpcing(s) && !L4_ThreadWasSending(s));
    CHECK(!L4_ThreadWasHalted(s) && L4_ThreadWasHalted(L4_Stop(id)));
    CHECK(sp <= worker_stack(id) && sp > worker_stack(id) - 1024 && ip != 0);
    CHECK(L4_ThreadWasHalted(L4_Stop(id, &sp, &ip, &flags)));
    L4_Start(id, worker_stack(id), entry(echo));
    L4_Set_MsgTag(L4_Niltag + 5);
    EQUAL(L4_Label(L4_Lcall(id)), 5);
    CHECK(L4_ThreadWasReceiving(L4_AbortIpc_and_stop(id, &sp, &ip, &flags)));
    L4_Start(id, worker_stack(id), entry(echo_global), 0);
    L4_Set_MsgTag(L4_Niltag + 6);
    EQUAL(L4_Label(L4_Call(id)), 6);
    CHECK(L4_ThreadWasReceiving(L4_AbortIpc_and_stop(id)));
    L4_Start(id, worker_stack(id), entry(pester));
    CHECK(L4_ThreadWasSending(L4_AbortSend_and_stop(id, &sp, &ip, &flags)));
    L4_Start(id);
    CHECK(L4_ThreadWasSending(L4_AbortSend_and_stop(id)));
    L4_Start(id, worker_stack(id), entry(echo));
    CHECK(L4_ThreadWasReceiving(L4_AbortReceive_and_stop(id)));
}

void thread_control() {
    L4_ThreadId_t me = L4_Myself(), nobody = new_thread_id();
    void *nowhere = reinterpret_cast<void *>(~static_cast<uintptr_t>(0));
    EQUAL(L4_ThreadControl(nobody, nobody, me, L4_nilthread, nowhere), 1); /* in its own space */
    EQUAL(L4_ThreadControl(nobody, L4_nilthread, L4_nilthread, L4_nilthread, nowhere), 1);
    EQUAL(L4_ThreadControl(nobody, L4_nilthread, L4_nilthread, L4_nilthread, nowhere), 0);
    EQUAL(L4_ErrorCode(), L4_ErrInvalidThread);
    static const L4_Word_t codes[] = {
        L4_ErrOk,           L4_ErrNoPrivilege, L4_ErrInvalidThread, L4_ErrInvalidSpace, 4,
        L4_ErrInvalidParam, L4_ErrUtcbArea,    L4_ErrKipArea,       L4_ErrNoMem};
    for (L4_Word_t i = 0; i < 9; i++) {
        EQUAL(codes[i], i);
    }
    EQUAL(L4_ErrInvalidScheduler, 4);
    L4_ThreadId_t interrupt = L4_GlobalId(test_board()->interrupt, 1);
    EQUAL(L4_AssociateInterrupt(interrupt, me), 1);
    EQUAL(L4_DeassociateInterrupt(interrupt), 1);
}

/* ---- 3 scheduling ---- */

void clocks() {
    L4_Clock_t now = L4_SystemClock(), later = now + 5, longer;
    longer = now + static_cast<L4_Word64_t>(7);
    EQUAL(later.raw - now.raw, 5);
    EQUAL(longer.raw - now.raw, 7);
    EQUAL((longer - later).raw, 2);
    EQUAL((longer - later + now - now).raw, 2);
    CHECK(later - 5 == now && longer - static_cast<L4_Word64_t>(7) == now);
    CHECK(now < later && now <= later && later > now && later >= now && now != later);
    CHECK(!(later < now) && !(later <= now) && !(now > later) && !(now >= later));
    CHECK(now <= now && now >= now && !(now != now) && !(now == later));
    CHECK(L4_SystemClock() >= now);
}

void times() {
    L4_Time_t a = L4_TimePeriod(500), b = L4_TimePeriod(300);
    EQUAL(L4_PeriodMicroseconds(a + b), 800);
    EQUAL(L4_PeriodMicroseconds(a - b), 200);
    EQUAL(L4_PeriodMicroseconds(a + 20u), 520);
    EQUAL(L4_PeriodMicroseconds(a - 20u), 480);
    EQUAL((b - a).raw, L4_ZeroTime.raw);
    EQUAL((b - 301u).raw, L4_ZeroTime.raw);
    EQUAL((a + L4_Never).raw, L4_Never.raw);
    EQUAL((L4_Never - 1u).raw, L4_Never.raw);
    EQUAL((L4_Never + 1u).raw, L4_Never.raw);
    a += b;
    EQUAL(L4_PeriodMicroseconds(a), 800);
    a -= b;
    EQUAL(L4_PeriodMicroseconds(a), 500);
    a += 30u;
    EQUAL(L4_PeriodMicroseconds(a), 530);
    a -= 10u;
    EQUAL(L4_PeriodMicroseconds(a), 520);
    CHECK(a > b && a >= b && b < a && b <= a && a != b && !(a == b));
    CHECK(!(b > a) && !(b >= a) && !(a < b) && !(a <= b));
    CHECK(a >= a && a <= a && a == a && !(a != a) && L4_Never > a);
    L4_Clock_t before = L4_SystemClock();
    L4_Sleep(L4_TimePoint(before + 2000));
    CHECK(L4_SystemClock() - before >= before - before + 1990);
}

void schedule() {
    L4_Time_t slice, quantum;
    L4_Word_t old;
    L4_ThreadId_t id = worker(echo);
    EQUAL(L4_Schedule(id, L4_SCHEDULE_KEEP, L4_SCHEDULE_KEEP, L4_SCHEDULE_KEEP, L4_SCHEDULE_KEEP,
                      &old),
          L4_SCHEDULE_WAITING);
    EQUAL(L4_Timeslice(id, &slice, &quantum), L4_SCHEDULE_WAITING);
    EQUAL(slice.raw, old >> 16);
    EQUAL(quantum.raw, L4_Never.raw);
    EQUAL(L4_Set_Timeslice(id, L4_TimePeriod(5000), L4_Never), L4_SCHEDULE_WAITING);
    (void)L4_Timeslice(id, &slice, &quantum);
    CHECK(slice <= L4_TimePeriod(5000) && slice > L4_ZeroTime);
    EQUAL(L4_Set_Priority(id, TEST_PRIORITY), L4_SCHEDULE_WAITING);
    EQUAL(L4_Set_ProcessorNo(id, 0), L4_SCHEDULE_WAITING);
    EQUAL(L4_Set_ProcessorNo(id, 1), L4_SCHEDULE_ERROR);
    EQUAL(L4_Set_PreemptionDelay(id, TEST_PRIORITY, 100), L4_SCHEDULE_WAITING);
    L4_ThreadSwitch(id); /* which waits */
    L4_Yield();
    CHECK(!L4_EnablePreemptionFaultException() && L4_DisablePreemptionFaultException());
    CHECK(!L4_DisablePreemption() && L4_EnablePreemption() && !L4_PreemptionPending());
}

/* ---- 4 address spaces ---- */

void fpages() {
    L4_Fpage_t f = L4_Fpage(0x12345678, 0x1800);
    EQUAL(L4_Address(f), 0x12344000);
    EQUAL(L4_Size(f), 0x2000);
    EQUAL(L4_SizeLog2(f), 13);
    EQUAL(L4_FpageLog2(0x12344000, 13).raw, f.raw);
    EQUAL(L4_Rights(f + L4_Readable), L4_Readable);
    EQUAL(L4_Rights(f + L4_FullyAccessible - L4_Writable), L4_ReadeXecOnly);
    f += L4_ReadWriteOnly;
    EQUAL(L4_Rights(f), L4_ReadWriteOnly);
    f -= L4_Readable;
    EQUAL(L4_Rights(f), L4_Writable);
    L4_Set_Rights(&f, L4_eXecutable);
    EQUAL(L4_Rights(f), L4_eXecutable);
    EQUAL(L4_Rights(f - L4_eXecutable), L4_NoAccess);
    CHECK(L4_IsNilFpage(L4_Nilpage) && !L4_IsNilFpage(L4_CompleteAddressSpace));
}

void unmap() {
    NEEDS_PROTECTION;
    uint8_t *frame = static_cast<uint8_t *>(frame_alloc());
    L4_Fpage_t page = L4_FpageLog2(entry(nullptr) + reinterpret_cast<uintptr_t>(frame), FRAME_LOG2);
    L4_Fpage_t both[2] = {page + L4_FullyAccessible, page + L4_FullyAccessible};
    frame[5] = 6;
    L4_LoadMR(0, both[0].raw);
    L4_Unmap(0); /* from others, of whom there are none */
    L4_Fpage_t status = L4_Unmap(both[0]);
    CHECK(L4_WasWritten(status) && L4_WasReferenced(status));
    CHECK(!L4_WaseXecuted(L4_Unmap(L4_Nilpage)));
    L4_Unmap(2, both);
    EQUAL(L4_Address(L4_GetStatus(page)), L4_Address(page));
    EQUAL(frame[5], 6);
    both[0] = both[1] = page + L4_FullyAccessible;
    L4_Flush(2, both); /* from us too: sigma0 gives it to us again */
    EQUAL(L4_Address(L4_Sigma0_GetPage(L4_nilthread, page + L4_FullyAccessible)), L4_Address(page));
    EQUAL(frame[5], 6);
    (void)L4_Flush(page + L4_FullyAccessible);
    EQUAL(L4_Address(L4_Sigma0_GetPage(L4_nilthread, page + L4_FullyAccessible, page)),
          L4_Address(page));
    EQUAL(frame[5], 6);
    EQUAL(L4_Set_PageAttribute(page, L4_MEMORY_UNCACHED), 1);
    EQUAL(frame[5], 6);
    L4_Word_t attributes[4] = {L4_DefaultMemory, L4_DefaultMemory, 0, 0};
    both[0] = both[1] = page;
    EQUAL(L4_Set_PagesAttributes(2, both, attributes), 1);
    L4_LoadMR(0, page.raw);
    EQUAL(L4_MemoryControl(0, attributes), 1);
    EQUAL(frame[5], 6);
    frame_free(frame);
}

void space_control() {
    L4_Word_t old;
    L4_ThreadId_t nobody = new_thread_id();
    EQUAL(L4_SpaceControl(nobody, 0, L4_Nilpage, L4_Nilpage, L4_nilthread, &old), 0);
    EQUAL(L4_ErrorCode(), L4_ErrInvalidSpace);
    EQUAL(L4_ProcessorControl(0, L4_ALL_BITS, L4_ALL_BITS, L4_ALL_BITS), 1); /* all as it is */
    L4_Fpage_t page = L4_Sigma0_GetAny(L4_nilthread, FRAME_LOG2, L4_CompleteAddressSpace);
    EQUAL(L4_SizeLog2(page), FRAME_LOG2);
    (void)L4_Flush(page + L4_FullyAccessible);
}

/* ---- 5 IPC ---- */

void tags() {
    L4_MsgTag_t tag = L4_Niltag + 3;
    EQUAL(L4_Label(tag), 3);
    tag += 4;
    EQUAL(L4_Label(tag), 4);
    CHECK(tag != L4_Niltag && tag == L4_Niltag + 4 && !(tag == L4_Niltag) && !(tag != tag));
    L4_Set_Label(&tag, 5);
    L4_Set_MsgTag(tag);
    CHECK(L4_MsgTag() == L4_Niltag + 5);
    L4_Set_Propagation(&tag);
    CHECK(L4_IpcPropagated(tag) && L4_IpcSucceeded(tag) && !L4_IpcFailed(tag));
    tag.X.flags = 0xe;
    CHECK(L4_IpcRedirected(tag) && L4_IpcXcpu(tag) && L4_IpcFailed(tag) && !L4_IpcPropagated(tag));
}

void items() {
    L4_MapItem_t map = L4_MapItem(L4_FpageLog2(0x4000, 12), 0x8000);
    L4_GrantItem_t grant = L4_GrantItem(L4_FpageLog2(0x5000, 12), 0x9000);
    CHECK(L4_MapItem(map) && L4_GrantItem(grant));
    EQUAL(L4_SndBase(map), 0x8000);
    EQUAL(L4_SndBase(grant), 0x9000);
    EQUAL(L4_Address(L4_SndFpage(map)), 0x4000);
    EQUAL(L4_Address(L4_SndFpage(grant)), 0x5000);
    map.raw[0] = grant.raw[0];
    grant.raw[0] = 0;
    CHECK(!L4_MapItem(map) && !L4_GrantItem(grant));
}

/* Words, items and strings appended; then read by their places. */
void messages() {
    L4_Msg_t msg, copy;
    L4_Word_t words[4] = {1, 2, 3, 4}, word;
    L4_MapItem_t map = L4_MapItem(L4_FpageLog2(0x4000, 12), 0x8000);
    L4_GrantItem_t grant = L4_GrantItem(L4_FpageLog2(0x5000, 12), 0x9000);
    L4_StringItem_t simple = L4_StringItem(8, words), compound = simple, string;
    compound += words + 2;
    L4_Clear(&msg);
    L4_Set_Label(&msg, 9);
    EQUAL(L4_Label(&msg), 9);
    L4_Append(&msg, 11);
    L4_Append(&msg, map);
    L4_Append(&msg, 12u);
    L4_Append(&msg, grant);
    L4_Append(&msg, 13l);
    L4_Append(&msg, simple);
    L4_Append(&msg, &compound);
    L4_Append(&msg, 14ul);
    EQUAL(L4_UntypedWords(L4_MsgTag(&msg)), 4);
    EQUAL(L4_TypedWords(L4_MsgTag(&msg)), 2 + 2 + 2 + 3);
    for (L4_Word_t i = 0; i < 4; i++) {
        L4_Get(&msg, i, &word);
        EQUAL(word, 11 + i);
        EQUAL(L4_Get(&msg, i), word);
    }
    EQUAL(L4_Get(&msg, 2, &map), 2); /* which is the grant item */
    CHECK(!L4_MapItem(map));
    EQUAL(L4_Get(&msg, 0, &map), 2);
    CHECK(L4_MapItem(map) && L4_SndBase(map) == 0x8000);
    grant = L4_GrantItem(L4_Nilpage, 0);
    EQUAL(L4_Get(&msg, 2, &grant), 2);
    CHECK(L4_GrantItem(grant) && L4_SndBase(grant) == 0x9000);
    EQUAL(L4_Get(&msg, 4, &string), 2);
    EQUAL(string.X.str.string_ptr, words);
    EQUAL(L4_Get(&msg, 6, &string), 3);
    EQUAL(string.X.str.substring_ptr[1], words + 2);
    L4_Load(&msg);
    L4_Store(L4_MsgTag(), &copy);
    EQUAL(memcmp(msg.msg, copy.msg, 14 * sizeof(L4_Word_t)), 0);
    L4_Set_MsgTag(&copy, L4_Niltag + 7);
    EQUAL(L4_Label(L4_MsgTag(&copy)), 7);
}

void messages_put() {
    L4_Msg_t msg;
    L4_Word_t words[4] = {1, 2, 3, 4};
    L4_MapItem_t map = L4_MapItem(L4_FpageLog2(0x4000, 12), 0x8000);
    L4_StringItem_t string = L4_StringItem(8, words), compound = string;
    compound += words + 2;
    L4_Put(&msg, 5, 4, words, 2, &map);
    EQUAL(L4_Label(&msg), 5);
    L4_Put(&msg, 0, 91);
    L4_Put(&msg, 1, 92u);
    L4_Put(&msg, 2, 93l);
    L4_Put(&msg, 3, 94ul);
    L4_Put(&msg, 0, L4_MapItem(L4_Nilpage, 0x3000));
    L4_Get(&msg, words, &map);
    for (L4_Word_t i = 0; i < 4; i++) {
        EQUAL(words[i], 91 + i);
    }
    CHECK(L4_MapItem(map) && L4_SndBase(map) == 0x3000);
    L4_Put(&msg, 0, L4_GrantItem(L4_Nilpage, 0x7000));
    L4_Get(&msg, words, &map);
    CHECK(!L4_MapItem(map) && L4_SndBase(map) == 0x7000);
    L4_Put(&msg, 0, string);
    EQUAL(msg.msg[6], reinterpret_cast<uintptr_t>(words));
    L4_Put(&msg, 1, &compound);
    EQUAL(msg.msg[8], reinterpret_cast<uintptr_t>(words + 2));
}

void string_items() {
    char text[16] = {};
    L4_StringItem_t s = L4_StringItem(4, text), tail = L4_StringItem(8, text + 12);
    CHECK(L4_StringItem(&s) && !L4_CompoundString(&s));
    EQUAL(s.X.string_length, 4);
    s += text + 8;
    CHECK(L4_CompoundString(&s));
    EQUAL(L4_Substrings(&s), 2);
    EQUAL(L4_Substring(&s, 1), text + 8);
    s += tail;
    EQUAL(L4_StringItemWords(&s), 5);
    EQUAL(s.raw[4], reinterpret_cast<uintptr_t>(text + 12));
    L4_CacheAllocationHint_t hint = L4_CacheAllocationHint(s + L4_AllocateNewCacheLines);
    CHECK(hint == L4_AllocateNewCacheLines && hint != L4_UseDefaultCacheLineAllocation);
    CHECK(L4_CacheAllocationHint(s) == L4_UseDefaultCacheLineAllocation);
    tail += L4_AllocateOnlyNewCacheLines;
    CHECK(L4_CacheAllocationHint(tail) == L4_AllocateOnlyNewCacheLines);
    CHECK(!(L4_CacheAllocationHint(tail) != L4_AllocateOnlyNewCacheLines));
}

void acceptors() {
    L4_Acceptor_t a = L4_MapGrantItems(L4_CompleteAddressSpace) + L4_StringItemsAcceptor;
    CHECK(L4_StringItems(a) && L4_MapGrantItems(a));
    EQUAL(L4_RcvWindow(a).raw, L4_CompleteAddressSpace.raw);
    a -= L4_StringItemsAcceptor;
    CHECK(!L4_StringItems(a) && L4_MapGrantItems(a));
    a += L4_StringItemsAcceptor;
    L4_Accept(a);
    EQUAL(L4_Accepted().raw, a.raw);
    L4_Accept(a - a);
    EQUAL(L4_Accepted().raw, L4_UntypedWordsAcceptor.raw);
}

char received[2][8];

/* Takes two strings and says how many bytes of the second are as expected. */
void reader() {
    L4_MsgBuffer_t buffer;
    L4_ThreadId_t from;
    L4_StringItem_t second = L4_StringItem(4, received[1]);
    second += L4_StringItem(4, received[1] + 4);
    L4_Clear(&buffer);
    L4_Append(&buffer, L4_StringItem(8, received[0]));
    L4_Append(&buffer, &second);
    L4_Accept(L4_StringItemsAcceptor, &buffer);
    L4_MsgTag_t tag = L4_Wait(L4_TimePeriod(500000), &from);
    L4_Msg_t answer;
    L4_Clear(&answer);
    L4_Append(&answer, L4_IpcSucceeded(tag) ? L4_TypedWords(tag) : 0);
    L4_Load(&answer);
    (void)L4_Reply(from);
    (void)L4_Receive(L4_Myself());
}

void strings() {
    char first[8] = "abcdefg", second[8] = "hijklmn";
    L4_Msg_t msg;
    L4_ThreadId_t id = worker(reader);
    L4_Clear(&msg);
    L4_Append(&msg, L4_StringItem(8, first));
    L4_Append(&msg, L4_StringItem(8, second));
    L4_Load(&msg);
    L4_MsgTag_t tag = L4_Call(id, PATIENCE, PATIENCE);
    CHECK(L4_IpcSucceeded(tag));
    L4_Store(tag, &msg);
    EQUAL(L4_Get(&msg, 0), 4); /* what was sent: two strings of one piece */
    EQUAL(memcmp(received[0], first, 8), 0);
    EQUAL(memcmp(received[1], second, 8), 0);
}

void ipc() {
    L4_ThreadId_t from, id = worker(echo_global);
    L4_Set_MsgTag(L4_Niltag + 8);
    EQUAL(L4_Label(L4_Call(id)), 8);
    L4_Set_MsgTag(L4_Niltag + 9);
    EQUAL(L4_Label(L4_Ipc(id, id, L4_Timeouts(L4_Never, L4_Never), &from)), 9);
    CHECK(from == id);
    L4_Set_MsgTag(L4_Niltag + 10);
    EQUAL(L4_Label(L4_Lipc(id, L4_anythread, L4_Timeouts(L4_Never, PATIENCE), &from)), 10);
    CHECK(L4_SameThreads(from, id));
    L4_Set_MsgTag(L4_Niltag + 11);
    CHECK(L4_IpcSucceeded(L4_Send(id, PATIENCE))); /* answered with a reply that nobody awaits */
    L4_MsgTag_t tag = L4_Receive(id, L4_ZeroTime);
    CHECK(L4_IpcFailed(tag));
    EQUAL(L4_ErrorCode(), L4_IPC_ERROR(L4_IPC_ERR_TIMEOUT, L4_IPC_PHASE_RECEIVE));
    CHECK(L4_IpcFailed(L4_ReplyWait(L4_nilthread, L4_ZeroTime, &from)));
    CHECK(L4_IpcFailed(L4_Wait(L4_ZeroTime, &from)));
    L4_ThreadId_t other = worker(pester);
    CHECK(L4_IpcSucceeded(L4_ReplyWait(L4_nilthread, &from)) && from == other);
}

/* ---- 7 generic booting ---- */

/* Records of every kind, in a row, as a loader leaves them. */
void booting() {
    static struct {
        L4_BootInfo_t info;
        L4_Boot_Module_t module;
        L4_Boot_SimpleExec_t exec;
        L4_Boot_EFI_t efi;
        L4_Boot_MBI_t mbi;
        char line[8];
    } boot = {{L4_BOOTINFO_MAGIC, L4_BOOTINFO_VERSION, sizeof boot, sizeof boot.info, 4, {0, 0, 0}},
              {L4_BootInfo_Module, 1, sizeof boot.module, 11, 12, 0},
              {L4_BootInfo_SimpleExec, 1, sizeof boot.exec, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 0, 0,
               sizeof boot.exec + sizeof boot.efi + sizeof boot.mbi},
              {L4_BootInfo_EFITables, 1, sizeof boot.efi, 21, 22, 23, 24, 25},
              {L4_BootInfo_Multiboot, 1, sizeof boot.mbi, 31},
              "a line"};
    CHECK(L4_BootInfo_Valid(&boot));
    EQUAL(L4_BootInfo_Size(&boot), sizeof boot);
    EQUAL(L4_BootInfo_Entries(&boot), 4);
    L4_BootRec_t *r = L4_BootInfo_FirstEntry(&boot);
    EQUAL(L4_BootRec_Type(r), L4_BootInfo_Module);
    EQUAL(L4_Module_Start(r) * 100 + L4_Module_Size(r), 1112);
    CHECK(L4_Module_Cmdline(r) == nullptr);
    r = L4_BootRec_Next(r);
    EQUAL(L4_SimpleExec_TextPstart(r) * 100 + L4_SimpleExec_TextVstart(r) * 10 +
              L4_SimpleExec_TextSize(r),
          123);
    EQUAL(L4_SimpleExec_DataPstart(r) * 100 + L4_SimpleExec_DataVstart(r) * 10 +
              L4_SimpleExec_DataSize(r),
          456);
    EQUAL(L4_SimpleExec_BssPstart(r) * 100 + L4_SimpleExec_BssVstart(r) * 10 +
              L4_SimpleExec_BssSize(r),
          789);
    EQUAL(L4_SimpleExec_InitialIP(r), 10);
    L4_SimpleExec_Set_Flags(r, 13);
    L4_SimpleExec_Set_Label(r, 14);
    EQUAL(L4_SimpleExec_Flags(r) * 100 + L4_SimpleExec_Label(r), 1314);
    EQUAL(strncmp(L4_SimpleExec_Cmdline(r), "a line", 7), 0);
    r = L4_BootRec_Next(r);
    EQUAL(L4_EFI_Systab(r) * 100 + L4_EFI_Memmap(r), 2122);
    EQUAL(L4_EFI_MemmapSize(r), 23);
    EQUAL(L4_EFI_MemdescSize(r) * 100 + L4_EFI_MemdescVersion(r), 2425);
    r = L4_BootRec_Next(r);
    EQUAL(L4_BootRec_Type(r), L4_BootInfo_Multiboot);
    EQUAL(L4_MBI_Address(r), 31);
}

} // namespace

const struct test generic_tests[] = {
    {"generic_kernel_interface_page", kernel_interface_page},
    {"generic_descriptors", descriptors},
    {"generic_virtual_registers", virtual_registers},
    {"generic_ids", ids},
    {"generic_control_registers", control_registers},
    {"generic_exchange_registers", exchange_registers},
    {"generic_thread_control", thread_control},
    {"generic_clocks", clocks},
    {"generic_times", times},
    {"generic_schedule", schedule},
    {"generic_fpages", fpages},
    {"generic_unmap", unmap},
    {"generic_space_control", space_control},
    {"generic_tags", tags},
    {"generic_items", items},
    {"generic_messages", messages},
    {"generic_messages_put", messages_put},
    {"generic_string_items", string_items},
    {"generic_acceptors", acceptors},
    {"generic_strings", strings},
    {"generic_ipc", ipc},
    {"generic_booting", booting},
    {nullptr, nullptr},
};
