/* SPDX-License-Identifier: Apache-2.0 */
/* Children that are small, for the tests of small spaces. */
#include "small_child.h"

#include "child_code.h"

#define AREA_END   0xf0000000u /* kernel/arch/ia32/layout.h */
#define AREA_PARTS 128u

L4_Word_t area_start(void) {
    const L4_KernelInterfacePage_t *kip = L4_GetKernelInterface();
    L4_Word_t i = 0;
    while (!L4_IsMemoryDescVirtual(L4_MemoryDesc(kip, i))) {
        i++;
    }
    return L4_MemoryDescHigh(L4_MemoryDesc(kip, i)) + 1;
}

L4_Word_t least_limit(void) {
    return (AREA_END - area_start()) / AREA_PARTS;
}

L4_Word_t space_control(const struct task *child, L4_Word_t word) {
    L4_Word_t old = 0;
    if (!L4_SpaceControl(child->id, word, L4_Nilpage, L4_Nilpage, L4_nilthread, &old)) {
        test_fail(__FILE_NAME__, __LINE__, "SpaceControl", L4_ErrorCode(), 0);
    }
    return old;
}

L4_Word_t number_of(const struct task *child) {
    return space_control(child, 0) & L4_SMALL_SPACE_NUMBER;
}

bool set_number(const struct task *child, L4_Word_t number) {
    return (space_control(child, L4_SMALL_SPACE_SET | number) & L4_SMALL_SPACE_DONE) != 0;
}

bool has_small_spaces(void) {
    struct task *child = child_new();
    bool has = child != NULL && number_of(child) != 0;
    if (!has) {
        test_skip("no small spaces, or no limits of segments");
    }
    child_delete(child);
    return has;
}

uint8_t *filled_page(struct task *child, L4_Word_t va, L4_Word_t seed) {
    uint8_t *frame = task_add_page(child, va, NULL, L4_FullyAccessible);
    for (unsigned i = 0; frame != NULL && i < FRAME_SIZE / 4; i++) {
        ((L4_Word_t *)(void *)frame)[i] = CHILD_PATTERN(seed, i);
    }
    return frame;
}

struct task *child_small(void) {
    struct task *child = child_new();
    if (child == NULL || number_of(child) == 0 ||
        child_do(child, CHILD_SET_HANDLER, L4_MyGlobalId().raw, 0, 0, 0).kind != OUTCOME_DONE) {
        test_fail(__FILE_NAME__, __LINE__, "a small child", 0, 1);
        return NULL;
    }
    return child;
}

struct task *child_with_handler(void) {
    struct task *child = child_new();
    L4_Word_t me = L4_MyGlobalId().raw;
    if (child == NULL || filled_page(child, INSIDE, 3) == NULL ||
        child_do(child, CHILD_SET_HANDLER, me, 0, 0, 0).kind != OUTCOME_DONE ||
        child_read(child, INSIDE) != CHILD_PATTERN(3, 0)) {
        return NULL;
    }
    return child;
}

bool limits_are_checked(void) {
    struct task *child = child_with_handler();
    TRY(child != NULL);
    struct outcome o = EXECUTE(child, 0x65, 0xa1, WORD(INSIDE)); /* movl %gs:INSIDE, %eax */
    child_delete(child);
    return o.kind == OUTCOME_EXCEPTION;
}
