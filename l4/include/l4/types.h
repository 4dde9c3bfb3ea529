/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Basic types of L4 X.2: words, thread ids, times, fpages.
 *
 * Pure data: nothing here needs a kernel to run on, so the kernel includes this file too.
 * Every type is a union of a raw word and its fields, and functions work on the raw word.
 *
 * The functions here and in the other headers have the names that the manual gives for languages
 * without overloading. In C++ there are the overloaded ones and the operators as well: each header
 * includes its twin in cxx/ at its end.
 */
#ifndef L4_TYPES_H
#define L4_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <binding.h>

#define L4_INLINE static inline __attribute__((unused))

/* Around what the library defines, and for facts that the compiler checks: C and C++ differ. */
#ifdef __cplusplus
#define L4_BEGIN_C       extern "C" {
#define L4_END_C         }
#define L4_STATIC_ASSERT static_assert
#else
#define L4_BEGIN_C
#define L4_END_C
#define L4_STATIC_ASSERT _Static_assert
#endif

/* As wide as a thread id, which fills one. */
#define L4_BITS_PER_WORD (L4_VERSION_BITS + L4_THREAD_NO_BITS)

#if L4_BITS_PER_WORD == 64
typedef uint64_t L4_Word_t;
typedef int64_t L4_SignedWord_t;
#else
typedef uint32_t L4_Word_t;
typedef int32_t L4_SignedWord_t;
#endif
typedef uint8_t L4_Word8_t;
typedef uint16_t L4_Word16_t;
typedef uint32_t L4_Word32_t;
typedef uint64_t L4_Word64_t;
typedef size_t L4_Size_t;
typedef L4_Word_t L4_Bool_t;

/* Of a word: all bits, or all but so many low ones. */
#define L4_ALL_BITS          (~(L4_Word_t)0)
#define L4_BITS_ABOVE(count) (L4_ALL_BITS << (count))

/* ---- thread ids ---- */

typedef union {
    L4_Word_t raw;
    struct {
        L4_Word_t version : L4_VERSION_BITS;
        L4_Word_t thread_no : L4_THREAD_NO_BITS;
    } X;
} L4_GthreadId_t;

typedef union {
    L4_Word_t raw;
    struct {
        L4_Word_t zeros : 6;
        L4_Word_t local_id : L4_BITS_PER_WORD - 6;
    } X;
} L4_LthreadId_t;

typedef union {
    L4_Word_t raw;
    L4_GthreadId_t global;
    L4_LthreadId_t local;
} L4_ThreadId_t;

#define L4_nilthread      ((L4_ThreadId_t){.raw = 0})
#define L4_anythread      ((L4_ThreadId_t){.raw = L4_ALL_BITS})
#define L4_anylocalthread ((L4_ThreadId_t){.raw = L4_BITS_ABOVE(6)})

L4_INLINE L4_ThreadId_t L4_GlobalId(L4_Word_t thread_no, L4_Word_t version) {
    return (L4_ThreadId_t){.raw = thread_no << L4_VERSION_BITS |
                                  (version & (((L4_Word_t)1 << L4_VERSION_BITS) - 1))};
}

L4_INLINE L4_Word_t L4_Version(L4_ThreadId_t id) {
    return id.raw & (((L4_Word_t)1 << L4_VERSION_BITS) - 1);
}

L4_INLINE L4_Word_t L4_ThreadNo(L4_ThreadId_t id) {
    return id.raw >> L4_VERSION_BITS;
}

L4_INLINE L4_Bool_t L4_IsThreadEqual(L4_ThreadId_t a, L4_ThreadId_t b) {
    return a.raw == b.raw;
}

L4_INLINE L4_Bool_t L4_IsThreadNotEqual(L4_ThreadId_t a, L4_ThreadId_t b) {
    return a.raw != b.raw;
}

L4_INLINE L4_Bool_t L4_IsNilThread(L4_ThreadId_t id) {
    return id.raw == 0;
}

/* A local id has its low 6 bits zero; a global id's version is never 0 there. */
L4_INLINE L4_Bool_t L4_IsLocalId(L4_ThreadId_t id) {
    return (id.raw & 0x3f) == 0 && id.raw != 0;
}

L4_INLINE L4_Bool_t L4_IsGlobalId(L4_ThreadId_t id) {
    return (id.raw & 0x3f) != 0;
}

/* ---- times ---- */

/*
 * 16 bits. Relative: 0 | exponent 5 | mantissa 10, m * 2^e microseconds; 0 is "never".
 * Absolute: 1 | exponent 4 | c | mantissa 10: a point at which the clock's bits [e+9:e] become m.
 */
typedef union {
    L4_Word16_t raw;
    struct {
        L4_Word16_t m : 10;
        L4_Word16_t e : 5;
        L4_Word16_t a : 1;
    } period;
    struct {
        L4_Word16_t m : 10;
        L4_Word16_t c : 1;
        L4_Word16_t e : 4;
        L4_Word16_t a : 1;
    } point;
} L4_Time_t;

typedef union {
    L4_Word64_t raw;
    struct {
        L4_Word32_t low;
        L4_Word32_t high;
    } X;
} L4_Clock_t;

#define L4_Never      ((L4_Time_t){.raw = 0})
#define L4_ZeroTime   ((L4_Time_t){.raw = 0x0400})
#define L4_NEVER_RAW  0x0000
#define L4_ZERO_RAW   0x0400
#define L4_TIMEOUTS_0 0x04000400 /* send and receive timeout both zero */

/* Microseconds as a relative time, rounded down to what 10 bits of mantissa can say. */
L4_INLINE L4_Time_t L4_TimePeriod(L4_Word64_t microseconds) {
    L4_Word_t e = 0;
    if (microseconds == 0) {
        return L4_ZeroTime;
    }
    while (microseconds >= 1024) {
        microseconds >>= 1;
        e++;
    }
    if (e > 31) {
        return L4_Never;
    }
    return (L4_Time_t){.raw = (L4_Word16_t)(e << 10 | (L4_Word_t)microseconds)};
}

/* Microseconds of a period; never has none and counts as all there are. */
L4_INLINE L4_Word64_t L4_PeriodMicroseconds(L4_Time_t t) {
    return t.raw == 0 ? ~0ull : (L4_Word64_t)(t.raw & 0x3ff) << (t.raw >> 10 & 0x1f);
}

/* `at` as a point in time, if it is within reach (2^25 us) of `now`; else its low bits. */
L4_INLINE L4_Time_t L4_TimePointFrom(L4_Clock_t now, L4_Clock_t at) {
    L4_Word_t e = 0;
    while (e < 15 && at.raw - now.raw >= 1024ull << e) {
        e++;
    }
    return (L4_Time_t){.raw = (L4_Word16_t)(0x8000u | e << 11 |
                                            (L4_Word_t)(at.raw >> (e + 10) & 1) << 10 |
                                            (L4_Word_t)(at.raw >> e & 0x3ff))};
}

L4_INLINE L4_Time_t L4_TimeAdd(L4_Time_t a, L4_Time_t b) {
    return a.raw == 0 || b.raw == 0
               ? L4_Never
               : L4_TimePeriod(L4_PeriodMicroseconds(a) + L4_PeriodMicroseconds(b));
}

L4_INLINE L4_Time_t L4_TimeAddTo(L4_Time_t *a, L4_Time_t b) {
    return *a = L4_TimeAdd(*a, b);
}

L4_INLINE L4_Time_t L4_TimeSub(L4_Time_t a, L4_Time_t b) {
    L4_Word64_t x = L4_PeriodMicroseconds(a), y = L4_PeriodMicroseconds(b);
    return a.raw == 0 ? L4_Never : L4_TimePeriod(x > y ? x - y : 0);
}

L4_INLINE L4_Time_t L4_TimeSubFrom(L4_Time_t *a, L4_Time_t b) {
    return *a = L4_TimeSub(*a, b);
}

/* A time that is so many microseconds longer. */
L4_INLINE L4_Time_t L4_TimeAddUsec(L4_Time_t t, L4_Word_t microseconds) {
    return t.raw == 0 ? L4_Never : L4_TimePeriod(L4_PeriodMicroseconds(t) + microseconds);
}

L4_INLINE L4_Time_t L4_TimeAddUsecTo(L4_Time_t *t, L4_Word_t microseconds) {
    return *t = L4_TimeAddUsec(*t, microseconds);
}

L4_INLINE L4_Time_t L4_TimeSubUsec(L4_Time_t t, L4_Word_t microseconds) {
    L4_Word64_t x = L4_PeriodMicroseconds(t);
    return t.raw == 0 ? L4_Never : L4_TimePeriod(x > microseconds ? x - microseconds : 0);
}

L4_INLINE L4_Time_t L4_TimeSubUsecFrom(L4_Time_t *t, L4_Word_t microseconds) {
    return *t = L4_TimeSubUsec(*t, microseconds);
}

L4_INLINE L4_Bool_t L4_IsTimeLonger(L4_Time_t a, L4_Time_t b) {
    return L4_PeriodMicroseconds(a) > L4_PeriodMicroseconds(b);
}

L4_INLINE L4_Bool_t L4_IsTimeShorter(L4_Time_t a, L4_Time_t b) {
    return L4_PeriodMicroseconds(a) < L4_PeriodMicroseconds(b);
}

L4_INLINE L4_Bool_t L4_IsTimeEqual(L4_Time_t a, L4_Time_t b) {
    return L4_PeriodMicroseconds(a) == L4_PeriodMicroseconds(b);
}

L4_INLINE L4_Bool_t L4_IsTimeNotEqual(L4_Time_t a, L4_Time_t b) {
    return !L4_IsTimeEqual(a, b);
}

L4_INLINE L4_Clock_t L4_ClockAddUsec(L4_Clock_t c, L4_Word64_t microseconds) {
    return (L4_Clock_t){.raw = c.raw + microseconds};
}

L4_INLINE L4_Clock_t L4_ClockSubUsec(L4_Clock_t c, L4_Word64_t microseconds) {
    return (L4_Clock_t){.raw = c.raw - microseconds};
}

L4_INLINE L4_Bool_t L4_IsClockEarlier(L4_Clock_t a, L4_Clock_t b) {
    return a.raw < b.raw;
}

L4_INLINE L4_Bool_t L4_IsClockLater(L4_Clock_t a, L4_Clock_t b) {
    return a.raw > b.raw;
}

L4_INLINE L4_Bool_t L4_IsClockEqual(L4_Clock_t a, L4_Clock_t b) {
    return a.raw == b.raw;
}

L4_INLINE L4_Bool_t L4_IsClockNotEqual(L4_Clock_t a, L4_Clock_t b) {
    return a.raw != b.raw;
}

L4_INLINE L4_Word_t L4_Timeouts(L4_Time_t send, L4_Time_t receive) {
    return (L4_Word_t)send.raw << 16 | receive.raw;
}

/* ---- fpages ---- */

/* base / 1024 (22 or 54) | log2 size (6) | 0 r w x */
typedef union {
    L4_Word_t raw;
    struct {
        L4_Word_t x : 1;
        L4_Word_t w : 1;
        L4_Word_t r : 1;
        L4_Word_t zero : 1;
        L4_Word_t s : 6;
        L4_Word_t b : L4_BITS_PER_WORD - 10;
    } X;
} L4_Fpage_t;

#define L4_Readable        ((L4_Word_t)4)
#define L4_Writable        ((L4_Word_t)2)
#define L4_eXecutable      ((L4_Word_t)1)
#define L4_NoAccess        ((L4_Word_t)0)
#define L4_ReadWriteOnly   (L4_Readable | L4_Writable)
#define L4_ReadeXecOnly    (L4_Readable | L4_eXecutable)
#define L4_FullyAccessible (L4_Readable | L4_Writable | L4_eXecutable)

#define L4_Nilpage              ((L4_Fpage_t){.raw = 0})
#define L4_CompleteAddressSpace ((L4_Fpage_t){.raw = 0x10})

L4_INLINE L4_Fpage_t L4_FpageLog2(L4_Word_t base, L4_Word_t log2_size) {
    return (L4_Fpage_t){
        .raw = (base &
                L4_BITS_ABOVE(log2_size >= L4_BITS_PER_WORD ? L4_BITS_PER_WORD - 1 : log2_size)) |
               log2_size << 4};
}

/* Size is rounded up to a power of two of at least 1 KB; the base down to its multiple. */
L4_INLINE L4_Fpage_t L4_Fpage(L4_Word_t base, L4_Word_t size) {
    L4_Word_t log2_size = 10;
    while (log2_size < L4_BITS_PER_WORD - 1 && ((L4_Word_t)1 << log2_size) < size) {
        log2_size++;
    }
    return L4_FpageLog2(base, log2_size);
}

L4_INLINE L4_Bool_t L4_IsNilFpage(L4_Fpage_t f) {
    return (f.raw & L4_BITS_ABOVE(4)) == 0;
}

L4_INLINE L4_Bool_t L4_IsCompleteAddressSpace(L4_Fpage_t f) {
    return (f.raw & L4_BITS_ABOVE(4)) == 0x10;
}

L4_INLINE L4_Word_t L4_SizeLog2(L4_Fpage_t f) {
    return f.raw >> 4 & 0x3f;
}

/* Size in bytes; the complete address space does not fit in a word and counts as 0. */
L4_INLINE L4_Word_t L4_Size(L4_Fpage_t f) {
    L4_Word_t s = L4_SizeLog2(f);
    return s < 10 || s >= L4_BITS_PER_WORD ? 0 : (L4_Word_t)1 << s;
}

L4_INLINE L4_Word_t L4_Address(L4_Fpage_t f) {
    return f.raw & L4_BITS_ABOVE(10);
}

L4_INLINE L4_Word_t L4_Rights(L4_Fpage_t f) {
    return f.raw & 7;
}

L4_INLINE void L4_Set_Rights(L4_Fpage_t *f, L4_Word_t rights) {
    f->raw = (f->raw & L4_BITS_ABOVE(3)) | (rights & 7);
}

L4_INLINE L4_Fpage_t L4_FpageAddRights(L4_Fpage_t f, L4_Word_t rights) {
    f.raw |= rights & 7;
    return f;
}

L4_INLINE L4_Fpage_t L4_FpageRemoveRights(L4_Fpage_t f, L4_Word_t rights) {
    f.raw &= ~(rights & 7);
    return f;
}

L4_INLINE L4_Bool_t L4_IsFpageEqual(L4_Fpage_t a, L4_Fpage_t b) {
    return a.raw == b.raw;
}

L4_INLINE L4_Fpage_t L4_FpageAddRightsTo(L4_Fpage_t *f, L4_Word_t rights) {
    return *f = L4_FpageAddRights(*f, rights);
}

L4_INLINE L4_Fpage_t L4_FpageRemoveRightsFrom(L4_Fpage_t *f, L4_Word_t rights) {
    return *f = L4_FpageRemoveRights(*f, rights);
}

/* ---- errors ---- */

/* TCR ErrorCode after a failed system call other than Ipc. */
#define L4_ErrOk            0
#define L4_ErrNoPrivilege   1
#define L4_ErrInvalidThread 2
#define L4_ErrInvalidSpace  3
#define L4_ErrInvalidSched  4
#define L4_ErrInvalidParam  5
#define L4_ErrUtcbArea      6
#define L4_ErrKipArea       7
#define L4_ErrNoMem         8

/* Other names for the same. */
#define L4_ErrInvalidScheduler     L4_ErrInvalidSched
#define L4_ERROR_OK                L4_ErrOk
#define L4_ERROR_NO_PRIVILEGE      L4_ErrNoPrivilege
#define L4_ERROR_INVALID_THREAD    L4_ErrInvalidThread
#define L4_ERROR_INVALID_SPACE     L4_ErrInvalidSpace
#define L4_ERROR_INVALID_SCHEDULER L4_ErrInvalidSched
#define L4_ERROR_INVALID_PARAM     L4_ErrInvalidParam
#define L4_ERROR_UTCB_AREA         L4_ErrUtcbArea
#define L4_ERROR_KIP_AREA          L4_ErrKipArea
#define L4_ERROR_NO_MEM            L4_ErrNoMem

/* TCR ErrorCode after a failed Ipc: offset 28 or 60 | e 3 | p 1, p = 1 in the receive phase. */
#define L4_IPC_PHASE_SEND      0
#define L4_IPC_PHASE_RECEIVE   1
#define L4_IPC_ERR_TIMEOUT     1
#define L4_IPC_ERR_NOPARTNER   2
#define L4_IPC_ERR_CANCELED    3
#define L4_IPC_ERR_OVERFLOW    4
#define L4_IPC_ERR_XFER_SELF   5
#define L4_IPC_ERR_XFER_OTHER  6
#define L4_IPC_ERR_ABORTED     7
#define L4_IPC_ERROR(e, phase) ((L4_Word_t)(e) << 1 | (phase))

#ifdef __cplusplus
#include <l4/cxx/types.h>
#endif

#endif
