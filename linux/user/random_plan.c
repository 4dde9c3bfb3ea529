/* SPDX-License-Identifier: GPL-2.0-only */
/* Draws programs. What is common comes often, and all else sometimes. */
#include "random.h"

enum { MOST_PAGES = 2000 }; /* of all processes together: less than half of the smallest machine */

/* One of several numbers, each as likely as it is often there. */
#define ONE_OF(random, ...)                                                                        \
    ({                                                                                             \
        static const unsigned int choices[] = {__VA_ARGS__};                                       \
        choices[draw(random, LENGTH(choices))];                                                    \
    })

static bool chance(struct random *random, unsigned int percent) {
    return draw(random, 100) < percent;
}

unsigned int plan_children(const struct plan *plan, unsigned int process, unsigned int below) {
    unsigned int count = 0;
    for (unsigned int i = 1; i < below; i++) {
        count += plan->processes[i].parent == process;
    }
    return count;
}

bool plan_inherits(const struct plan *plan, unsigned int process, unsigned int number) {
    const struct area *area = &plan->areas[number];
    unsigned int branch = process;
    if (process == area->maker) {
        return true;
    }
    while (branch != 0 && plan->processes[branch].parent != area->maker) {
        branch = plan->processes[branch].parent;
    }
    return branch != 0 && plan_children(plan, area->maker, branch) >= area->after;
}

static bool has(const struct plan *plan, unsigned int process, unsigned int area) {
    return plan_inherits(plan, process, area) || (plan->areas[area].joined >> process & 1);
}

/* Prefork, a chain, or any tree. */
static void draw_tree(struct plan *plan, struct random *random) {
    unsigned int style = ONE_OF(random, 0, 0, 0, 1, 2);
    unsigned int inboxes = draw(random, INBOXES + 1);
    plan->process_count = ONE_OF(random, 1, 2, 2, 2, 2, 3, 3, 4, 4, 5, 6, 8, 8, 12, 18);
    for (unsigned int i = 0; i < plan->process_count; i++) {
        struct process *process = &plan->processes[i];
        if (i > 0) {
            process->parent = style == 0 ? 0 : style == 1 ? i - 1 : draw(random, i);
        }
        process->inbox = inboxes < INBOXES ? inboxes : draw(random, INBOXES);
    }
}

/* Around, a server and its clients, or any. */
static void draw_steps(struct plan *plan, struct random *random) {
    unsigned int n = plan->process_count;
    unsigned int style = ONE_OF(random, 0, 0, 0, 1, 2);
    plan->step_count = n;
    if (style == 1) {
        plan->step_count = 2 * (n - 1);
    } else if (style == 2) {
        plan->step_count = n + draw(random, n);
    }
    for (unsigned int step = 1; step < plan->step_count; step++) {
        unsigned int around = style == 1 ? (step % 2 ? step / 2 + 1 : 0) : step;
        plan->steps[step] = style == 2 ? draw(random, n) : around;
    }
    if (plan->step_count == 0) {
        plan->step_count = 1;
    }
    plan->together = n > 1 && chance(random, 20);
    if (plan->together && chance(random, 50)) {
        plan->step_count = 1;
    }
}

/* In slots of others, in areas above 2 GB, or below 32 MB. */
static unsigned int draw_place(struct random *random) {
    static const struct {
        unsigned int from, pages;
    } ranges[] = {{0x01000000, 0x800}, {0x04000000, 0x38000}, {0x84000000, 0x28000}};
    unsigned int range = draw(random, LENGTH(ranges));
    return ranges[range].from + draw(random, ranges[range].pages) * PAGE;
}

enum { SLOT = 32 << 20 };

/* Of one that grows: in a slot that no other has, or at its end, where it is to be in both. */
static unsigned int draw_growing_place(struct random *random, unsigned int number) {
    unsigned int end = (2 + number * 7 + draw(random, 7)) * SLOT;
    return chance(random, 50) ? end : end - (1 + draw(random, 0x1800)) * PAGE;
}

static void draw_area(struct plan *plan, struct random *random) {
    struct area *area = &plan->areas[plan->area_count];
    unsigned int n = plan->process_count, children, users = 0;
    area->kind = ONE_OF(random, ANONYMOUS, ANONYMOUS, ANONYMOUS, ANONYMOUS, ANONYMOUS, MAPPED_FILE,
                        MAPPED_FILE, MAPPED_FILE, SEGMENT, HEAP, HEAP, GROWING);
    area->shared = area->kind == SEGMENT;
    if (area->kind == ANONYMOUS || area->kind == MAPPED_FILE) {
        area->shared = chance(random, 30);
    }
    area->pages = 1 + draw(random, ONE_OF(random, 4, 4, 4, 16, 16, 64, 300));
    area->place = ONE_OF(random, ANYWHERE, ANYWHERE, ANYWHERE, ANYWHERE, ANYWHERE, HINTED, FIXED);
    if (area->kind == HEAP || area->kind == SEGMENT) {
        area->place = ANYWHERE;
    }
    if (area->kind == GROWING) {
        area->place = FIXED;
        area->at = draw_growing_place(random, plan->area_count);
    } else {
        area->at = draw_place(random);
    }
    area->maker = chance(random, 70) ? 0 : draw(random, n);
    children = plan_children(plan, area->maker, n);
    area->after = chance(random, 60) ? 0 : draw(random, children + 1);
    if (!area->shared && area->kind != HEAP && chance(random, 30)) {
        area->renewed = draw(random, 1u << n);
    }
    if (area->shared && area->kind != ANONYMOUS && chance(random, 40)) {
        area->joined = draw(random, 1u << n);
    }
    area->renewed &= ~(1u << area->maker);
    for (unsigned int i = 0; i < n; i++) {
        if (plan_inherits(plan, i, plan->area_count)) {
            area->joined &= ~(1u << i);
            users += area->shared ? 0 : 1;
        }
    }
    if (area->pages * (users + 1) > MOST_PAGES / MOST_AREAS) {
        area->pages = 1 + MOST_PAGES / MOST_AREAS / (users + 1) / 2;
    }
    if (area->kind == GROWING && area->at % SLOT == 0) {
        area->at -= area->pages / 2 * PAGE; /* half of it down into the slot below */
    }
    plan->area_count++;
}

/* An area that a process has; -1 if there is none. */
static int draw_own(const struct plan *plan, struct random *random, unsigned int process) {
    unsigned int own[MOST_AREAS], count = 0;
    for (unsigned int i = 0; i < plan->area_count; i++) {
        if (has(plan, process, i)) {
            own[count++] = i;
        }
    }
    return count > 0 ? (int)own[draw(random, count)] : -1;
}

/* Whether an action is possible with an area. */
static bool fits(enum action action, const struct area *area) {
    bool own = area->kind == ANONYMOUS && !area->shared;
    switch (action) {
    case FILES:
        return area->kind == MAPPED_FILE;
    case RENEW:
        return own || area->kind == MAPPED_FILE;
    case RESIZE:
    case DISCARD:
        return own;
    case PROTECT:
        return area->kind != GROWING; /* pages to which it has not grown yet are no mapping */
    default:
        return true;
    }
}

static void draw_op(const struct plan *plan, struct random *random, unsigned int process,
                    bool changing, struct op *op) {
    int area = draw_own(plan, random, process);
    op->action = TOUCH;
    if (chance(random, 40)) {
        op->action =
            ONE_OF(random, STATIC, STATIC, STACK, COMPUTE, COMPUTE, CALLS, THREAD, FILES, SIGNALS);
    }
    if (changing && chance(random, 40)) {
        op->action = ONE_OF(random, PROTECT, PROTECT, RENEW, RENEW, RESIZE, RESIZE, GROW, DISCARD,
                            FORK, FORK, EXECUTE);
    }
    op->area = area < 0 ? 0 : area;
    op->pages = 1 + draw(random, ONE_OF(random, 1, 4, 16));
    if (area >= 0) {
        const struct area *on = &plan->areas[area];
        if (!fits(op->action, on)) {
            op->action = TOUCH;
        }
        op->pages = 1 + draw(random, chance(random, 50) ? on->pages : (on->pages + 7) / 8);
    } else if (op->action != STACK && op->action != COMPUTE && op->action != CALLS &&
               op->action != SIGNALS && op->action != GROW) {
        op->action = STATIC;
    }
    op->words = ONE_OF(random, 1, 2, 8, 32, 128);
    if (area >= 0 && plan->areas[area].shared && op->words > LANES) {
        op->words = LANES;
    }
    op->every = 1;
    if (op->action >= PROTECT) {
        op->every = ONE_OF(random, 1, 4, 16);
    } else if (chance(random, 15)) {
        op->every = ONE_OF(random, 2, 8);
    }
    if (op->action == EXECUTE) {
        op->every = 16;
    }
    op->amount = op->action == CALLS ? 1 + draw(random, 20)
                                     : 10 + draw(random, ONE_OF(random, 100, 1000, 5000));
    op->writes = chance(random, 60);
    op->reads = !op->writes || chance(random, 50);
}

/* About what an op takes, in cycles. It decides how many rounds there are, and nothing else. */
static unsigned int cost(const struct op *op) {
    static const unsigned int base[ACTIONS] = {
        [CALLS] = 300,    [THREAD] = 20000, [FILES] = 4000,      [SIGNALS] = 4000,
        [PROTECT] = 8000, [RENEW] = 12000,  [RESIZE] = 12000,    [GROW] = 10000,
        [DISCARD] = 4000, [FORK] = 500000,  [EXECUTE] = 1500000,
    };
    unsigned int touched = op->pages * (300 + op->words * 40);
    if (op->action == COMPUTE) {
        touched = op->amount * 8;
    } else if (op->action == CALLS) {
        touched = op->amount * 300;
    } else if (op->action >= RENEW) {
        touched += op->pages * 3000;
    }
    return (base[op->action] + touched) / op->every;
}

enum { HAND_OVER = 35000 }; /* cycles, with a flush */

void plan_draw(struct plan *plan, unsigned int seed) {
    struct random random = drawn_from(seed, 0);
    unsigned int areas, round = 0;
    bool changing;
    memset(plan, 0, sizeof(*plan));
    plan->seed = seed;
    draw_tree(plan, &random);
    draw_steps(plan, &random);
    areas = ONE_OF(&random, 0, 1, 1, 2, 2, 3, 3, 4, 5, 8);
    while (plan->area_count < areas) {
        draw_area(plan, &random);
    }
    plan->payload = ONE_OF(&random, 0, 0, 0, 32, 128, 512, 2048);
    plan->buffer = draw(&random, BUFFERS);
    changing = chance(&random, 40);
    for (unsigned int i = 0; i < plan->process_count; i++) {
        struct process *process = &plan->processes[i];
        process->op_count = draw(&random, MOST_OPS + 1);
        process->op_count += i == 0 && process->op_count == 0;
        for (unsigned int op = 0; op < process->op_count; op++) {
            draw_op(plan, &random, i, changing, &process->ops[op]);
        }
    }
    for (unsigned int step = 0; step < plan->step_count; step++) {
        const struct process *process = &plan->processes[plan->steps[step]];
        unsigned int next = step + 1 < plan->step_count ? plan->steps[step + 1] : 0;
        if (next != plan->steps[step]) {
            round += HAND_OVER + plan->payload * 4;
        }
        for (unsigned int op = 0; op < process->op_count; op++) {
            round += cost(&process->ops[op]);
        }
    }
    for (unsigned int i = 1; plan->together && i < plan->process_count; i++) {
        round += 2 * HAND_OVER;
        for (unsigned int op = 0; op < plan->processes[i].op_count; op++) {
            round += cost(&plan->processes[i].ops[op]);
        }
    }
    plan->rounds = ONE_OF(&random, 5000000, 10000000, 20000000) / (round + 1000);
    plan->rounds = plan->rounds < 16 ? 16 : plan->rounds;
    plan->rounds = plan->rounds > MOST_ROUNDS ? MOST_ROUNDS : plan->rounds;
    plan->warmup = 2 + plan->rounds / 8;
}

/* ---- its shape ---- */

static const char *const kinds[] = {"anonymous", "file", "segment", "heap", "growing"};
static const char *const places[] = {"anywhere", "hinted", "fixed"};
static const char *const actions[] = {
    "touch",   "static", "stack",  "compute", "calls",   "thread", "files",   "signals",
    "protect", "renew",  "resize", "grow",    "discard", "fork",   "execute",
};
static const char *const inboxes[] = {"pipe", "fifo", "socket", "futex"};
static const char *const buffers[] = {"data", "stack", "mapped"};

void plan_show(const struct plan *plan) {
    printf("PLAN seed=%u processes=%u rounds=%u+%u payload=%u buffer=%s%s steps", plan->seed,
           plan->process_count, plan->warmup, plan->rounds, plan->payload, buffers[plan->buffer],
           plan->together ? " together" : "");
    for (unsigned int step = 0; step < plan->step_count; step++) {
        printf(" %u", plan->steps[step]);
    }
    printf("\n");
    for (unsigned int i = 0; i < plan->area_count; i++) {
        const struct area *area = &plan->areas[i];
        printf("  area %u: %s %s, %u pages, %s", i, area->shared ? "shared" : "private",
               kinds[area->kind], area->pages, places[area->place]);
        if (area->place != ANYWHERE) {
            printf(" at %x", area->at);
        }
        printf(", by %u after %u children, renewed %x, joined %x\n", area->maker, area->after,
               area->renewed, area->joined);
    }
    for (unsigned int i = 0; i < plan->process_count; i++) {
        const struct process *process = &plan->processes[i];
        printf("  process %u: child of %u, %s:", i, process->parent, inboxes[process->inbox]);
        for (unsigned int j = 0; j < process->op_count; j++) {
            const struct op *op = &process->ops[j];
            printf(" %s", actions[op->action]);
            if (op->action == COMPUTE || op->action == CALLS) {
                printf("(%u)", op->amount);
            } else if (op->action == STATIC || op->action == STACK || op->action == GROW) {
                printf("(%u pages of %u words)", op->pages, op->words);
            } else if (op->action != SIGNALS) {
                printf("(%u, %u pages of %u words%s%s)", op->area, op->pages, op->words,
                       op->reads ? " read" : "", op->writes ? " written" : "");
            }
            if (op->every > 1) {
                printf("/%u", op->every);
            }
        }
        printf("\n");
    }
}
