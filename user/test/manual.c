/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compiled only: each function of the manual's C interface, chapter by chapter, called as a program
 * would that was written from the manual alone, with the manual's types and headers. That the
 * values are right is for names.c; a name or a type that is missing here ends the build.
 */
#include <l4/arch.h>
#include <l4/bootinfo.h>
#include <l4/ipc.h>
#include <l4/kip.h>
#include <l4/message.h>
#include <l4/misc.h>
#include <l4/schedule.h>
#include <l4/sigma0.h>
#include <l4/space.h>
#include <l4/thread.h>
#include <l4/types.h>

L4_Word_t manual_kip(void);
L4_Word_t manual_threads(L4_ThreadId_t t);
L4_Word_t manual_scheduling(L4_ThreadId_t t);
L4_Word_t manual_spaces(L4_ThreadId_t t);
L4_Word_t manual_messages(L4_Word_t *words);
L4_Word_t manual_strings(void *address);
L4_Word_t manual_ipc(L4_ThreadId_t t);
L4_Word_t manual_misc(void);
L4_Word_t manual_booting(L4_BootRec_t *r);

/* 1.1 Kernel interface page, 1.2 KernelInterface */
L4_Word_t manual_kip(void) {
    L4_Word_t version, flags, id, year, month, day, n = 0;
    void *kip = L4_KernelInterface(&version, &flags, &id);
    L4_KernelInterfacePage_t *page = L4_GetKernelInterface();
    L4_ApiVersion_t v = page->ApiVersion;
    L4_ApiFlags_t f = page->ApiFlags;
    L4_KernelId_t k = {.raw = id};
    L4_Size_t size = sizeof k;
    n += size + v.x.version + f.x.ww + k.x.id + page->ThreadInfo.X.UserBase;
    n += L4_ApiVersion() + L4_ApiFlags() + L4_KernelId();
    L4_KernelGenDate(kip, &year, &month, &day);
    n += L4_KernelVersion(kip) + L4_KernelSupplier(kip) + L4_NumProcessors(kip);
    n += L4_NumMemoryDescriptors(kip) + L4_PageSizeMask(kip) + L4_PageRights(kip);
    n += L4_ThreadIdBits(kip) + L4_ThreadIdSystemBase(kip) + L4_ThreadIdUserBase(kip);
    n += L4_ReadPrecision(kip) + L4_SchedulePrecision(kip);
    n += L4_UtcbAreaSizeLog2(kip) + L4_UtcbAlignmentLog2(kip) + L4_UtcbSize(kip);
    n += L4_KipAreaSizeLog2(kip) + L4_BootInfo(kip);
    char *version_string = L4_KernelVersionString(kip);
    char *feature = L4_Feature(kip, 0);
    L4_MemoryDesc_t *m = L4_MemoryDesc(kip, 0);
    n += L4_IsMemoryDescVirtual(m) + L4_MemoryDescType(m);
    n += L4_MemoryDescLow(m) + L4_MemoryDescHigh(m);
    n += L4_UndefinedMemoryType + L4_ConventionalMemoryType + L4_ReservedMemoryType;
    n += L4_DedicatedMemoryType + L4_SharedMemoryType + L4_BootLoaderSpecificMemoryType;
    n += L4_ArchitectureSpecificMemoryType;
    L4_ProcDesc_t *p = L4_ProcDesc(kip, 0);
    n += L4_ProcDescExternalFreq(p) + L4_ProcDescInternalFreq(p);
    return n + (L4_Word_t)(*version_string + *feature) + year + month + day;
}

/* 2.1 ThreadId, 2.2 thread control registers, 2.3 ExchangeRegisters, 2.4 ThreadControl */
L4_Word_t manual_threads(L4_ThreadId_t t) {
    L4_Word_t sp, ip, flags, n = 0, control, handle;
    L4_ThreadId_t pager;
    L4_ThreadState_t s;
    n += L4_IsThreadEqual(t, L4_nilthread) + L4_IsThreadNotEqual(t, L4_anythread);
    n += L4_IsThreadEqual(t, L4_anylocalthread) + L4_IsNilThread(t);
    n += L4_IsLocalId(t) + L4_IsGlobalId(t) + L4_ThreadNo(t) + L4_Version(t);
    n += L4_SameThreads(t, L4_GlobalId(1, 2)) + L4_LocalIdOf(t).raw + L4_GlobalIdOf(t).raw;
    n += L4_MyLocalId().raw + L4_MyGlobalId().raw + L4_Myself().raw;
    n += L4_ProcessorNo() + L4_UserDefinedHandle() + L4_Pager().raw + L4_ExceptionHandler().raw;
    L4_Set_UserDefinedHandle(1);
    L4_Set_Pager(t);
    L4_Set_ExceptionHandler(t);
    L4_Set_CopFlag(1);
    L4_Clr_CopFlag(1);
    n += L4_DisablePreemptionFaultException() + L4_EnablePreemptionFaultException();
    n += L4_DisablePreemption() + L4_EnablePreemption() + L4_PreemptionPending();
    n += L4_ErrorCode() + L4_XferTimeouts() + L4_IntendedReceiver().raw + L4_ActualSender().raw;
    L4_Set_XferTimeouts(0);
    L4_Set_VirtualSender(t);
    n += L4_ExchangeRegisters(t, 0, 0, 0, 0, 0, L4_nilthread, &control, &sp, &ip, &flags, &handle,
                              &pager)
             .raw;
    n += L4_UserDefinedHandleOf(t) + L4_PagerOf(t).raw;
    L4_Set_UserDefinedHandleOf(t, 1);
    L4_Set_PagerOf(t, pager);
    L4_Start(t);
    L4_Start_SpIp(t, sp, ip);
    L4_Start_SpIpFlags(t, sp, ip, flags);
    s = L4_Stop(t);
    s = L4_Stop_SpIpFlags(t, &sp, &ip, &flags);
    s = L4_AbortReceive_and_stop(t);
    s = L4_AbortReceive_and_stop_SpIpFlags(t, &sp, &ip, &flags);
    s = L4_AbortSend_and_stop(t);
    s = L4_AbortSend_and_stop_SpIpFlags(t, &sp, &ip, &flags);
    s = L4_AbortIpc_and_stop(t);
    s = L4_AbortIpc_and_stop_SpIpFlags(t, &sp, &ip, &flags);
    n += L4_ThreadWasHalted(s) + L4_ThreadWasReceiving(s) + L4_ThreadWasSending(s);
    n += L4_ThreadWasIpcing(s);
    n += L4_ThreadControl(t, t, t, t, (void *)-1);
    n += L4_AssociateInterrupt(t, t) + L4_DeassociateInterrupt(t);
    n += L4_ErrOk + L4_ErrNoPrivilege + L4_ErrInvalidThread + L4_ErrInvalidSpace;
    n += L4_ErrInvalidScheduler + L4_ErrInvalidParam + L4_ErrUtcbArea + L4_ErrKipArea + L4_ErrNoMem;
    return n;
}

/* 3.1 Clock, 3.2 SystemClock, 3.3 Time, 3.4 ThreadSwitch, 3.5 Schedule */
L4_Word_t manual_scheduling(L4_ThreadId_t t) {
    L4_Clock_t c = L4_SystemClock();
    L4_Time_t a = L4_TimePeriod(100), b = L4_TimePoint(L4_ClockAddUsec(c, 5));
    L4_Word_t n = 0, old;
    n += L4_IsClockEarlier(c, L4_ClockSubUsec(c, 5)) + L4_IsClockLater(c, c);
    n += L4_IsClockEqual(c, c) + L4_IsClockNotEqual(c, c);
    n += (L4_Word_t)L4_Never.raw + L4_ZeroTime.raw;
    a = L4_TimeAdd(a, b);
    a = L4_TimeSub(a, b);
    L4_TimeAddTo(&a, b);
    L4_TimeSubFrom(&a, b);
    a = L4_TimeAddUsec(a, 1);
    a = L4_TimeSubUsec(a, 1);
    L4_TimeAddUsecTo(&a, 1);
    L4_TimeSubUsecFrom(&a, 1);
    n += L4_IsTimeLonger(a, b) + L4_IsTimeShorter(a, b);
    n += L4_IsTimeEqual(a, b) + L4_IsTimeNotEqual(a, b);
    L4_ThreadSwitch(t);
    L4_Yield();
    n += L4_Schedule(t, L4_SCHEDULE_KEEP, L4_SCHEDULE_KEEP, L4_SCHEDULE_KEEP, L4_SCHEDULE_KEEP,
                     &old);
    n += L4_Set_Priority(t, 100) + L4_Set_ProcessorNo(t, 0) + L4_Timeslice(t, &a, &b);
    n += L4_Set_Timeslice(t, a, b) + L4_Set_PreemptionDelay(t, 100, 1000);
    return n + old;
}

/* 4.1 Fpage, 4.2 Unmap, 4.3 SpaceControl; sigma0 (7.1) */
L4_Word_t manual_spaces(L4_ThreadId_t t) {
    L4_Word_t n = 0, old;
    L4_Fpage_t f = L4_Fpage(0x1000, 0x1000), g = L4_FpageLog2(0x1000, 12);
    L4_Fpage_t both[2] = {f, g};
    n += L4_NoAccess + L4_eXecutable + L4_Writable + L4_Readable;
    n += L4_FullyAccessible + L4_ReadWriteOnly + L4_ReadeXecOnly;
    n += L4_IsNilFpage(L4_Nilpage) + L4_IsNilFpage(L4_CompleteAddressSpace);
    n += L4_Address(f) + L4_Size(f) + L4_SizeLog2(f) + L4_Rights(f);
    L4_Set_Rights(&f, L4_Readable);
    f = L4_FpageAddRights(f, L4_Writable);
    L4_FpageAddRightsTo(&f, L4_Writable);
    f = L4_FpageRemoveRights(f, L4_Writable);
    L4_FpageRemoveRightsFrom(&f, L4_Writable);
    L4_Unmap(0);
    f = L4_UnmapFpage(f);
    L4_UnmapFpages(2, both);
    f = L4_Flush(f);
    L4_FlushFpages(2, both);
    f = L4_GetStatus(f);
    n += L4_WasReferenced(f) + L4_WasWritten(f) + L4_WaseXecuted(f);
    n += L4_SpaceControl(t, 0, f, g, L4_nilthread, &old);
    f = L4_Sigma0_GetPage(t, f);
    f = L4_Sigma0_GetPage_RcvWindow(t, f, g);
    f = L4_Sigma0_GetAny(t, 12, g);
    return n + old + f.raw;
}

/* 5.1 Messages and message registers */
L4_Word_t manual_messages(L4_Word_t *words) {
    L4_Msg_t msg;
    L4_Word_t n = 0;
    L4_MsgTag_t tag = L4_Niltag;
    L4_MapItem_t map = L4_MapItem(L4_Nilpage, 0);
    L4_GrantItem_t grant = L4_GrantItem(L4_Nilpage, 0);
    n += L4_IsMsgTagEqual(tag, L4_MsgTag()) + L4_IsMsgTagNotEqual(tag, L4_Niltag);
    n += L4_Label(tag) + L4_UntypedWords(tag) + L4_TypedWords(tag);
    tag = L4_MsgTagAddLabel(tag, 1);
    tag = L4_MsgTagAddLabelTo(&tag, 1);
    L4_Set_MsgTag(tag);
    L4_MsgPut(&msg, 1, 2, words, 2, &map);
    L4_MsgGet(&msg, words, &map);
    tag = L4_MsgMsgTag(&msg);
    L4_Set_MsgMsgTag(&msg, tag);
    n += L4_MsgLabel(&msg);
    L4_Set_MsgLabel(&msg, 1);
    L4_MsgLoad(&msg);
    L4_MsgStore(tag, &msg);
    L4_MsgClear(&msg);
    L4_MsgAppendWord(&msg, 1);
    L4_MsgAppendMapItem(&msg, map);
    L4_MsgAppendGrantItem(&msg, grant);
    L4_MsgPutWord(&msg, 0, 1);
    L4_MsgPutMapItem(&msg, 0, map);
    L4_MsgPutGrantItem(&msg, 2, grant);
    L4_MsgGetWord(&msg, 0, words);
    n += L4_MsgWord(&msg, 0) + L4_MsgGetMapItem(&msg, 0, &map);
    n += L4_MsgGetGrantItem(&msg, 2, &grant);
    L4_StoreMR(1, words);
    L4_LoadMR(1, *words);
    L4_StoreMRs(1, 2, words);
    L4_LoadMRs(1, 2, words);
    n += L4_IsMapItem(map) + L4_IsGrantItem(grant);
    n += L4_MapItemSndBase(map) + L4_MapItemSndFpage(map).raw;
    n += L4_GrantItemSndBase(grant) + L4_GrantItemSndFpage(grant).raw;
    return n + L4_StringItemsAcceptor.raw + L4_UntypedWordsAcceptor.raw;
}

/* 5.4 String items, 5.5 String buffers and buffer registers */
L4_Word_t manual_strings(void *address) {
    L4_Msg_t msg;
    L4_MsgBuffer_t buffer;
    L4_Word_t n = 0, words[2];
    L4_StringItem_t s = L4_StringItem(4, address), more = L4_StringItem(8, address);
    L4_CacheAllocationHint_t hint = L4_CacheAllocationHint(s);
    L4_Acceptor_t a = L4_MapGrantItems(L4_CompleteAddressSpace);
    n += L4_IsStringItem(&s) + L4_CompoundString(&s) + L4_Substrings(&s);
    n += L4_Substring(&s, 0) == address;
    (void)L4_AddSubstringTo(&s, &more);
    (void)L4_AddSubstringAddressTo(&s, address);
    n += L4_IsCacheAllocationHintEqual(hint, L4_UseDefaultCacheLineAllocation);
    n += L4_IsCacheAllocationHintNotEqual(hint, L4_AllocateNewCacheLines);
    s = L4_AddCacheAllocationHint(s, L4_AllocateNewCacheLines);
    (void)L4_AddCacheAllocationHintTo(&s, L4_AllocateOnlyNewCacheLines);
    L4_MsgClear(&msg);
    L4_MsgAppendSimpleStringItem(&msg, more);
    L4_MsgAppendStringItem(&msg, &s);
    L4_MsgPutSimpleStringItem(&msg, 0, more);
    (void)L4_MsgPutStringItem(&msg, 0, &s);
    n += L4_MsgGetStringItem(&msg, 0, &s);
    L4_MsgBufferClear(&buffer);
    L4_MsgBufferAppendSimpleRcvString(&buffer, more);
    L4_MsgBufferAppendRcvString(&buffer, &s);
    a = L4_AddAcceptor(a, L4_StringItemsAcceptor);
    (void)L4_AddAcceptorTo(&a, L4_StringItemsAcceptor);
    a = L4_RemoveAcceptor(a, L4_StringItemsAcceptor);
    (void)L4_RemoveAcceptorFrom(&a, L4_StringItemsAcceptor);
    n += L4_HasStringItems(a) + L4_HasMapGrantItems(a) + L4_RcvWindow(a).raw;
    L4_Accept(a);
    L4_AcceptStrings(a, &buffer);
    n += L4_Accepted().raw;
    L4_StoreBR(1, words);
    L4_LoadBR(1, *words);
    L4_StoreBRs(1, 2, words);
    L4_LoadBRs(1, 2, words);
    return n;
}

/* 5.6 Ipc */
L4_Word_t manual_ipc(L4_ThreadId_t t) {
    L4_ThreadId_t from;
    L4_MsgTag_t tag = L4_Ipc(t, t, L4_Timeouts(L4_Never, L4_ZeroTime), &from);
    tag = L4_Lipc(t, t, L4_Timeouts(L4_Never, L4_ZeroTime), &from);
    tag = L4_Call(t);
    tag = L4_Call_Timeouts(t, L4_Never, L4_Never);
    tag = L4_Send(t);
    tag = L4_Send_Timeout(t, L4_Never);
    tag = L4_Reply(t);
    tag = L4_Receive(t);
    tag = L4_Receive_Timeout(t, L4_Never);
    tag = L4_Wait(&from);
    tag = L4_Wait_Timeout(L4_Never, &from);
    tag = L4_ReplyWait(t, &from);
    tag = L4_ReplyWait_Timeout(t, L4_Never, &from);
    L4_Sleep(L4_TimePeriod(1));
    tag = L4_Lcall(t);
    tag = L4_LreplyWait(t, &from);
    L4_Set_Propagation(&tag);
    return L4_IpcSucceeded(tag) + L4_IpcFailed(tag) + L4_IpcPropagated(tag) +
           L4_IpcRedirected(tag) + L4_IpcXcpu(tag);
}

/* 6 Miscellaneous */
L4_Word_t manual_misc(void) {
    L4_Fpage_t f[2] = {L4_Nilpage, L4_Nilpage};
    L4_Word_t attributes[4] = {L4_DefaultMemory, 0, 0, 0};
    L4_Word_t n = L4_ProcessorControl(0, 0, 0, 0) + L4_MemoryControl(0, attributes);
    return n + L4_Set_PageAttribute(f[0], 0) + L4_Set_PagesAttributes(2, f, attributes);
}

/* 7.8 Generic booting */
L4_Word_t manual_booting(L4_BootRec_t *r) {
    void *info =
        (void *)L4_BootInfo(L4_KernelInterface(&(L4_Word_t){0}, &(L4_Word_t){0}, &(L4_Word_t){0}));
    L4_Word_t n = L4_BootInfo_Valid(info) + L4_BootInfo_Size(info) + L4_BootInfo_Entries(info);
    r = L4_BootInfo_FirstEntry(info);
    n += L4_BootRec_Type(r);
    r = L4_BootRec_Next(r);
    n += L4_BootInfo_Module + L4_BootInfo_SimpleExec + L4_BootInfo_EFITables;
    n += L4_BootInfo_Multiboot;
    char *line = L4_Module_Cmdline(r);
    n += L4_Module_Start(r) + L4_Module_Size(r) + (L4_Word_t)*line;
    n += L4_SimpleExec_TextVstart(r) + L4_SimpleExec_TextPstart(r) + L4_SimpleExec_TextSize(r);
    n += L4_SimpleExec_DataVstart(r) + L4_SimpleExec_DataPstart(r) + L4_SimpleExec_DataSize(r);
    n += L4_SimpleExec_BssVstart(r) + L4_SimpleExec_BssPstart(r) + L4_SimpleExec_BssSize(r);
    n += L4_SimpleExec_InitialIP(r) + L4_SimpleExec_Flags(r) + L4_SimpleExec_Label(r);
    L4_SimpleExec_Set_Flags(r, 1);
    L4_SimpleExec_Set_Label(r, 1);
    line = L4_SimpleExec_Cmdline(r);
    n += L4_EFI_Systab(r) + L4_EFI_Memmap(r) + L4_EFI_MemmapSize(r) + L4_EFI_MemdescSize(r);
    n += L4_EFI_MemdescVersion(r) + L4_MBI_Address(r);
    return n + (L4_Word_t)*line;
}
