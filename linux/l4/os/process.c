// SPDX-License-Identifier: GPL-2.0-only
/*
 * Programs: an L4 space with one thread for each mm (host/task.c). Which of the mm's tasks it is at
 * the moment is a matter of the registers that it is given.
 *
 * Pages come to a space by page faults alone. What it has is noted, so that a page can be taken
 * away when Linux changes its entry: from all who have it, since L4 revokes by frame; they fault
 * and get it again.
 *
 * While a task waits for a page, Linux does not know its registers: the thread has them. If another
 * task of the mm is to run meanwhile, it takes them out first (take_turn).
 */
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/unistd.h>
#include <asm/mmu_context.h>
#include <asm/pgtable.h>
#include <asm/tlbflush.h>
#include <as-layout.h>
#include <kern.h>
#include <kern_util.h>
#include <os.h>
#include <registers.h>
#include <skas.h>
#include <sysdep/ptrace.h>
#include <uapi/asm/processor-flags.h>
#include <asm/desc.h>

#include "../host/host.h"
#include "fpu.h"
#include "layer.h"

/* Vectors of exceptions (SDM vol. 3, 5.3), and the error code of a page fault that a program sees.
 */
enum {
    DIVIDE,
    DEBUG,
    BREAKPOINT = 3,
    OVERFLOW,
    BOUND,
    UNDEFINED,
    NO_FPU,
    STACK = 12,
    PROTECTION,
    PAGE_FAULT,
    FPU = 16,
    ALIGNMENT
};
#define ERROR_USER    4
#define ERROR_WRITE   2
#define ERROR_PRESENT 1

#define RIGHTS_READ  5 /* and execute */
#define RIGHTS_WRITE 7

/* L4_IA32_OWN_SELECTOR's, by its place in the table. */
#define FIRST_SEGMENT 7

/* UML takes a host process' id for running, and 0 and 1 for none. */
#define FIRST_PID 2

/* What a space has: the frame of each page, by table. */
#define TABLE_ENTRIES (PAGE_SIZE / sizeof(unsigned long))

static struct space {
    bool placed;                  /* by the name of its program */
    bool segment_new;             /* it is to get this base */
    unsigned long segment;        /* 0: none yet */
    struct task_struct *faulting; /* waits for a page; its registers are in the thread */
    struct fpu fpu;
    unsigned long *frames[PTRS_PER_PGD];
} *spaces[HOST_TASKS];

int userspace_pid[NR_CPUS];

void __switch_mm(struct mm_id *mm_idp) {
    userspace_pid[0] = mm_idp->pid;
}

static unsigned int slot_of(int pid) {
    return pid - FIRST_PID;
}

/* ---- spaces ---- */

int start_userspace(unsigned long stub_stack) {
    unsigned int slot;
    int error;

    for (slot = 0; slot < HOST_TASKS && spaces[slot]; slot++)
        ;
    if (slot == HOST_TASKS) {
        pr_warn("l4: all %d address spaces are taken\n", HOST_TASKS);
        return -EAGAIN;
    }
    spaces[slot] = kzalloc(sizeof(*spaces[slot]), GFP_KERNEL);
    if (!spaces[slot]) {
        return -ENOMEM;
    }
    error = host_task_create(slot, (void *)stub_stack, programs_small == ALL_PROGRAMS);
    if (error) {
        pr_warn("l4: no further address space: L4's error %d\n", error);
        kfree(spaces[slot]);
        spaces[slot] = NULL;
        return -EAGAIN;
    }
    return slot + FIRST_PID;
}

void os_kill_ptraced_process(int pid, int reap_child) {
    unsigned int slot = slot_of(pid);
    int i;

    host_task_end(slot);
    fpu_drop(&spaces[slot]->fpu);
    for (i = 0; i < PTRS_PER_PGD; i++) {
        free_page((unsigned long)spaces[slot]->frames[i]);
    }
    kfree(spaces[slot]);
    spaces[slot] = NULL;
}

/* ---- pages ---- */

static unsigned long *entry_of(unsigned int slot, unsigned long address) {
    unsigned long *table = spaces[slot]->frames[pgd_index(address)];

    return table ? &table[pte_index(address)] : NULL;
}

static void take_away(unsigned int slot, unsigned long from, unsigned long len) {
    unsigned long address, end = from + len;

    for (address = from; address < end;) {
        unsigned long *entry = entry_of(slot, address);

        if (!entry) {
            address = (address & PGDIR_MASK) + PGDIR_SIZE;
            if (!address) {
                break;
            }
            continue;
        }
        if (*entry) {
            host_revoke(*entry);
            *entry = 0;
        }
        address += PAGE_SIZE;
    }
}

int map(struct mm_id *mm_idp, unsigned long virt, unsigned long len, int prot, int phys_fd,
        unsigned long long offset) {
    take_away(slot_of(mm_idp->pid), virt, len);
    return 0;
}

int unmap(struct mm_id *mm_idp, unsigned long addr, unsigned long len) {
    take_away(slot_of(mm_idp->pid), addr, len);
    return 0;
}

int protect(struct mm_id *mm_idp, unsigned long addr, unsigned long len, unsigned int prot) {
    take_away(slot_of(mm_idp->pid), addr, len);
    return 0;
}

/* The frame that Linux has there for such an access, or 0. */
static unsigned long find_frame(unsigned long address, bool write, int *rights) {
    pte_t *pte = virt_to_pte(current->mm, address);
    unsigned long physical;

    if (!pte || !pte_present(*pte) || !pte_young(*pte) || !pte_read(*pte)) {
        return 0;
    }
    *rights = pte_write(*pte) && pte_dirty(*pte) ? RIGHTS_WRITE : RIGHTS_READ;
    if (write && *rights != RIGHTS_WRITE) {
        return 0;
    }
    physical = pte_val(*pte) & PAGE_MASK;
    if (physical >=
        high_physmem -
            uml_physmem) { /* by /dev/mem: not a page of ours, but it may be a device's */
        return host_device(physical);
    }
    return (unsigned long)__va(physical);
}

static bool note(unsigned int slot, unsigned long address, unsigned long frame) {
    unsigned long **table = &spaces[slot]->frames[pgd_index(address)];

    if (!*table) {
        *table = (unsigned long *)get_zeroed_page(GFP_KERNEL);
    }
    if (!*table) {
        return false;
    }
    (*table)[pte_index(address)] = frame;
    return true;
}

/* ---- running ---- */

static void to_host(struct host_registers *to, const unsigned long *gp) {
    *to = (struct host_registers){.ip = gp[HOST_IP],
                                  .flags = gp[HOST_EFLAGS],
                                  .di = gp[HOST_DI],
                                  .si = gp[HOST_SI],
                                  .bp = gp[HOST_BP],
                                  .sp = gp[HOST_SP],
                                  .bx = gp[HOST_BX],
                                  .dx = gp[HOST_DX],
                                  .cx = gp[HOST_CX],
                                  .ax = gp[HOST_AX]};
}

static void from_host(unsigned long *gp, const struct host_registers *from) {
    gp[HOST_IP] = from->ip;
    gp[HOST_EFLAGS] = from->flags;
    gp[HOST_DI] = from->di;
    gp[HOST_SI] = from->si;
    gp[HOST_BP] = from->bp;
    gp[HOST_SP] = from->sp;
    gp[HOST_BX] = from->bx;
    gp[HOST_DX] = from->dx;
    gp[HOST_CX] = from->cx;
    gp[HOST_AX] = from->ax;
}

static bool has_work(void) {
    return read_thread_flags() & _TIF_WORK_MASK;
}

/* Whose thread does not come to the stub is at its end. */
static void must_come(bool does) {
    if (!does) {
        send_sig(SIGKILL, current, 1);
    }
}

/* Linux looks at a task's floating-point registers in calls that make others or end its program;
 * for a debugger in all; and sets them when a handler returns. */
static noinline __cold void prepare_fpu(struct fpu *fpu, unsigned int slot, unsigned long number) {
    switch (number) {
    case __NR_sigreturn:
    case __NR_rt_sigreturn:
        fpu_drop(fpu);
        break;
    case __NR_fork:
    case __NR_vfork:
    case __NR_clone:
    case __NR_clone3:
    case __NR_execve:
    case __NR_execveat:
        must_come(fpu_save(fpu, slot));
        break;
    default:
        if (current->ptrace) {
            must_come(fpu_save(fpu, slot));
        }
    }
}

static void system_call(struct uml_pt_regs *regs, struct space *space, unsigned int slot) {
    if (unlikely(space->fpu.owner)) {
        prepare_fpu(&space->fpu, slot, regs->gp[HOST_AX]);
    }
    regs->gp[HOST_ORIG_AX] = regs->gp[HOST_AX];
    handle_syscall(regs);
}

static void exception(struct uml_pt_regs *regs, struct space *space, unsigned int slot,
                      const struct host_stop *stop) {
    void __user *ip = (void __user *)regs->gp[HOST_IP];

    if (stop->vector == NO_FPU && !space->fpu.used) { /* it gets its own before it goes on */
        space->fpu.used = true;
        return;
    }

    regs->faultinfo = (struct faultinfo){.error_code = stop->error, .trap_no = stop->vector};
    current->thread.arch.faultinfo = regs->faultinfo;
    switch (stop->vector) {
    case DIVIDE:
        force_sig_fault(SIGFPE, FPE_INTDIV, ip);
        break;
    case DEBUG:
        if (singlestepping()) { /* it is not the program's own */
            regs->gp[HOST_EFLAGS] &= ~X86_EFLAGS_TF;
        }
        force_sig_fault(SIGTRAP, TRAP_TRACE, ip);
        break;
    case BREAKPOINT:
        force_sig_fault(SIGTRAP, TRAP_BRKPT, ip);
        break;
    case UNDEFINED:
        force_sig_fault(SIGILL, ILL_ILLOPN, ip);
        break;
    case FPU:
        must_come(fpu_save(&space->fpu, slot));
        force_sig_fault(SIGFPE, fpu_code(regs->fp), ip);
        break;
    case ALIGNMENT:
        force_sig_fault(SIGBUS, BUS_ADRALN, ip);
        break;
    default:
        force_sig(SIGSEGV);
    }
}

/* The last page fault. */
struct fault {
    bool write;
    unsigned long address;
};

/* The current task waits for a page, with registers that Linux does not know. */
static bool waits_for_page(const struct space *space) {
    return space->faulting == current;
}

static void page_fault(struct uml_pt_regs *regs, const struct host_stop *stop,
                       struct fault *fault) {
    pte_t *pte;
    bool is_there;
    int rights;

    fault->write = stop->write;
    fault->address = stop->address;
    regs->gp[HOST_IP] = stop->ip;
    /* The kernel's addresses are said to be there, as elsewhere on x86. */
    pte = stop->address < TASK_SIZE ? virt_to_pte(current->mm, stop->address) : NULL;
    is_there = stop->address >= TASK_SIZE || (pte && pte_present(*pte));
    regs->faultinfo = (struct faultinfo){
        .error_code = ERROR_USER | (stop->write ? ERROR_WRITE : 0) | (is_there ? ERROR_PRESENT : 0),
        .cr2 = stop->address,
        .trap_no = PAGE_FAULT};
    if (!find_frame(stop->address, stop->write, &rights)) {
        segv(regs->faultinfo, stop->ip, 1, regs);
    }
}

/* Lets it run on after a page fault; false: it has no page yet. */
static bool answer_fault(unsigned int slot, const struct fault *fault, struct host_registers *r,
                         struct host_stop *stop) {
    unsigned long address = fault->address & PAGE_MASK;
    int rights;
    unsigned long frame = find_frame(fault->address, fault->write, &rights);

    if (!frame || !note(slot, address, frame)) {
        return false;
    }
    spaces[slot]->faulting = NULL;
    host_task_map(slot, address, frame, rights, r, stop);
    return true;
}

/* Other tasks, and signals. A handler begins with the flags and the floating-point registers that
 * it has on any x86: UML leaves that to its host. */
static void end_interrupt(struct uml_pt_regs *regs) {
    unsigned long sp = regs->gp[HOST_SP];

    interrupt_end();
    if (regs->gp[HOST_SP] != sp) {
        regs->gp[HOST_EFLAGS] &= ~(X86_EFLAGS_DF | X86_EFLAGS_TF | X86_EFLAGS_RF);
        fpu_init(regs->fp);
    }
}

/* A reschedule alone leaves the task's floating-point registers in the unit. For a signal or a
 * debugger, which may come while others run, they are saved. */
static void do_work(struct uml_pt_regs *regs, struct space *space, unsigned int slot) {
    if (need_resched()) {
        schedule();
    }
    if (has_work()) {
        must_come(fpu_save(&space->fpu, slot));
        end_interrupt(regs);
    }
}

/* Where the names of some programs decide: a space begins large, as its program's name is known
 * only when that first runs. */
static void place(struct space *space, unsigned int slot) {
    if (programs_small == NAMED_PROGRAMS && !space->placed) {
        space->placed = true;
        if (is_small_name(current->comm)) {
            host_task_make_small(slot);
        }
    }
}

/* Makes it wait, and takes its registers, which are the task's. One that does not come is killed:
 * its registers are those of its last stop. */
static enum host_capture capture(unsigned int slot, struct task_struct *task) {
    struct uml_pt_regs *regs = &task->thread.regs.regs;
    struct host_registers r;
    enum host_capture found = host_task_capture(slot, &r);

    spaces[slot]->faulting = NULL;
    if (found == HOST_LOST) {
        pr_info("l4: %s (%d) cannot be stopped: killed\n", task->comm, task_pid_nr(task));
        send_sig(SIGKILL, task, 1);
    } else {
        from_host(regs->gp, &r);
        regs->gp[HOST_ORIG_AX] = -1;
    }
    return found;
}

#define INT_SIZE 2

/* Something is to be done before the current task can run in the space. */
static bool turn_is_due(const struct space *space) {
    return space->faulting || space->segment_new ||
           (space->fpu.used && space->fpu.owner != current);
}

/* Now the space's thread is the current task's. Another one that waits there for a page faults
 * again later; one that was about to make a call makes it again. */
static noinline __cold void take_turn(struct space *space, unsigned int slot) {
    struct task_struct *other = space->faulting;

    if (other) {
        enum host_capture found = capture(slot, other);

        must_come(found != HOST_LOST);
        if (found == HOST_CALLS) {
            other->thread.regs.regs.gp[HOST_IP] -= INT_SIZE;
        }
    }
    must_come(fpu_load(&space->fpu, slot));
    if (space->segment_new) {
        space->segment_new = false;
        must_come(host_task_set_segment(slot, space->segment));
    }
    if (fatal_signal_pending(current)) {
        end_interrupt(&current->thread.regs.regs);
    }
}

void userspace(struct uml_pt_regs *regs, unsigned long *aux_fp_regs) {
    struct fault fault = {};
    struct host_registers r;
    struct host_stop stop;
    bool runs = false; /* it was interrupted, and has not been told to wait */

    end_interrupt(regs);
    for (;;) {
        struct space *space;
        unsigned int slot;

        current_mm_sync();
        slot = slot_of(userspace_pid[0]);
        space = spaces[slot];
        place(space, slot);
        if (unlikely(waits_for_page(space))) {
            if (!answer_fault(slot, &fault, &r, &stop)) { /* it is to fault again */
                (void)capture(slot, current);
                if (has_work()) {
                    do_work(regs, space, slot);
                }
                continue;
            }
        } else if (runs) {
            host_task_continue(slot, &r, &stop);
        } else {
            if (unlikely(turn_is_due(space))) {
                take_turn(space, slot);
            }
            to_host(&r, regs->gp);
            if (singlestepping()) {
                r.flags |= X86_EFLAGS_TF;
            }
            host_task_run(slot, &r, &stop);
        }
        runs = false;
        regs->is_user = 1;
        UPT_SYSCALL_NR(regs) = -1;
        switch (stop.event) {
        case HOST_SYSCALL:
            from_host(regs->gp, &r);
            system_call(regs, space, slot);
            break;
        case HOST_FAULT:
            space->faulting = current;
            page_fault(regs, &stop, &fault);
            break;
        case HOST_EXCEPTION:
            from_host(regs->gp, &r);
            regs->gp[HOST_ORIG_AX] = -1;
            exception(regs, space, slot, &stop);
            break;
        case HOST_PORTS: /* as on a processor that does not permit them */
            (void)capture(slot, current);
            stop.vector = PROTECTION;
            stop.error = 0;
            exception(regs, space, slot, &stop);
            break;
        case HOST_INTERRUPT:
            runs = true;
            block_signals();
            take_interrupts(regs);
            unblock_signals();
            break;
        }
        if (!has_work()) {
            continue;
        }
        /* A call may have ended the program, and with it the space. */
        slot = slot_of(userspace_pid[0]);
        space = spaces[slot];
        if (runs || waits_for_page(space)) {
            runs = false;
            if (capture(slot, current) == HOST_CALLS) {
                system_call(regs, space, slot);
                slot = slot_of(userspace_pid[0]);
            }
        }
        do_work(regs, spaces[slot], slot);
        regs->gp[HOST_ORIG_AX] = -1;
    }
}

/* ---- segments: one, of the task that runs ---- */

void check_host_supports_tls(int *supports, int *first) {
    *supports = 1;
    *first = FIRST_SEGMENT;
}

/* Linux tells of all three whenever another task is to run; most are empty. */
int os_set_thread_area(struct user_desc *info, int pid) {
    struct space *space = spaces[slot_of(pid)];

    if (LDT_empty(info)) {
        return 0;
    }
    if (info->entry_number != FIRST_SEGMENT) {
        return -ENOSYS;
    }
    if (space->segment != info->base_addr) {
        space->segment = info->base_addr;
        space->segment_new = true;
    }
    return 0;
}

/* ---- registers of nobody yet, and what this machine has not ---- */

void get_safe_registers(unsigned long *regs, unsigned long *fp_regs) {
    memset(regs, 0, MAX_REG_NR * sizeof(*regs));
    fpu_init(fp_regs);
}

int have_fpx_regs;

int save_i387_registers(int pid, unsigned long *fp_regs) {
    return -EIO;
}

int restore_i387_registers(int pid, unsigned long *fp_regs) {
    return -EIO;
}

int save_fpx_registers(int pid, unsigned long *fp_regs) {
    return -EIO;
}

int restore_fpx_registers(int pid, unsigned long *fp_regs) {
    return -EIO;
}
