/* SPDX-License-Identifier: Apache-2.0 */
/* Operators of thread ids, clocks, times and fpages (manual, 2.1, 3.1, 3.3, 4.1). */
#ifndef L4_CXX_TYPES_H
#define L4_CXX_TYPES_H

#include <l4/types.h>

/* ---- thread ids ---- */

L4_INLINE bool operator==(const L4_ThreadId_t &a, const L4_ThreadId_t &b) {
    return a.raw == b.raw;
}

L4_INLINE bool operator!=(const L4_ThreadId_t &a, const L4_ThreadId_t &b) {
    return a.raw != b.raw;
}

/* ---- clocks: microseconds are added; of two clocks their values, as the published library does
 * ---- */

L4_INLINE L4_Clock_t operator+(const L4_Clock_t &c, L4_Word64_t microseconds) {
    return L4_ClockAddUsec(c, microseconds);
}

L4_INLINE L4_Clock_t operator+(const L4_Clock_t &c, int microseconds) {
    return L4_ClockAddUsec(c, (L4_Word64_t)microseconds);
}

L4_INLINE L4_Clock_t operator+(const L4_Clock_t &a, const L4_Clock_t &b) {
    return L4_ClockAddUsec(a, b.raw);
}

L4_INLINE L4_Clock_t operator-(const L4_Clock_t &c, L4_Word64_t microseconds) {
    return L4_ClockSubUsec(c, microseconds);
}

L4_INLINE L4_Clock_t operator-(const L4_Clock_t &c, int microseconds) {
    return L4_ClockSubUsec(c, (L4_Word64_t)microseconds);
}

L4_INLINE L4_Clock_t operator-(const L4_Clock_t &a, const L4_Clock_t &b) {
    return L4_ClockSubUsec(a, b.raw);
}

L4_INLINE bool operator<(const L4_Clock_t &a, const L4_Clock_t &b) {
    return a.raw < b.raw;
}

L4_INLINE bool operator>(const L4_Clock_t &a, const L4_Clock_t &b) {
    return a.raw > b.raw;
}

L4_INLINE bool operator<=(const L4_Clock_t &a, const L4_Clock_t &b) {
    return a.raw <= b.raw;
}

L4_INLINE bool operator>=(const L4_Clock_t &a, const L4_Clock_t &b) {
    return a.raw >= b.raw;
}

L4_INLINE bool operator==(const L4_Clock_t &a, const L4_Clock_t &b) {
    return a.raw == b.raw;
}

L4_INLINE bool operator!=(const L4_Clock_t &a, const L4_Clock_t &b) {
    return a.raw != b.raw;
}

/* ---- times: compared by their length, not by how it is written ---- */

L4_INLINE L4_Time_t operator+(const L4_Time_t &t, L4_Word_t microseconds) {
    return L4_TimeAddUsec(t, microseconds);
}

L4_INLINE L4_Time_t &operator+=(L4_Time_t &t, L4_Word_t microseconds) {
    return t = L4_TimeAddUsec(t, microseconds);
}

L4_INLINE L4_Time_t operator+(const L4_Time_t &a, const L4_Time_t &b) {
    return L4_TimeAdd(a, b);
}

L4_INLINE L4_Time_t &operator+=(L4_Time_t &a, const L4_Time_t &b) {
    return a = L4_TimeAdd(a, b);
}

L4_INLINE L4_Time_t operator-(const L4_Time_t &t, L4_Word_t microseconds) {
    return L4_TimeSubUsec(t, microseconds);
}

L4_INLINE L4_Time_t &operator-=(L4_Time_t &t, L4_Word_t microseconds) {
    return t = L4_TimeSubUsec(t, microseconds);
}

L4_INLINE L4_Time_t operator-(const L4_Time_t &a, const L4_Time_t &b) {
    return L4_TimeSub(a, b);
}

L4_INLINE L4_Time_t &operator-=(L4_Time_t &a, const L4_Time_t &b) {
    return a = L4_TimeSub(a, b);
}

L4_INLINE bool operator<(const L4_Time_t &a, const L4_Time_t &b) {
    return L4_IsTimeShorter(a, b) != 0;
}

L4_INLINE bool operator>(const L4_Time_t &a, const L4_Time_t &b) {
    return L4_IsTimeLonger(a, b) != 0;
}

L4_INLINE bool operator<=(const L4_Time_t &a, const L4_Time_t &b) {
    return L4_IsTimeLonger(a, b) == 0;
}

L4_INLINE bool operator>=(const L4_Time_t &a, const L4_Time_t &b) {
    return L4_IsTimeShorter(a, b) == 0;
}

L4_INLINE bool operator==(const L4_Time_t &a, const L4_Time_t &b) {
    return L4_IsTimeEqual(a, b) != 0;
}

L4_INLINE bool operator!=(const L4_Time_t &a, const L4_Time_t &b) {
    return L4_IsTimeNotEqual(a, b) != 0;
}

/* ---- fpages: rights are added and taken away ---- */

L4_INLINE L4_Fpage_t operator+(const L4_Fpage_t &f, L4_Word_t rights) {
    return L4_FpageAddRights(f, rights);
}

L4_INLINE L4_Fpage_t &operator+=(L4_Fpage_t &f, L4_Word_t rights) {
    return f = L4_FpageAddRights(f, rights);
}

L4_INLINE L4_Fpage_t operator-(const L4_Fpage_t &f, L4_Word_t rights) {
    return L4_FpageRemoveRights(f, rights);
}

L4_INLINE L4_Fpage_t &operator-=(L4_Fpage_t &f, L4_Word_t rights) {
    return f = L4_FpageRemoveRights(f, rights);
}

#endif
