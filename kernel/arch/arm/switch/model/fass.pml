/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The protocol of fast address-space switching, as a model that Spin searches whole: a processor
 * with virtually-tagged caches, a TLB and domains, and the kernel's rules for the caching page
 * directory (CPD). Every reachable state is visited; in none may a space read or write what is not
 * its own, or a line be lost. README.md beside this file tells how it is run and what it found.
 *
 * What is modelled. SPACES address spaces, DOMAINS domains for them, SECTIONS megabytes (mva that
 * all of them may use; PID relocation only makes that rarer), FRAMES frames of memory. Cache and
 * TLB have one place for each megabyte, so a line or an entry stays as long as the search wants:
 * whether it is evicted is the search's choice too.
 *
 * Data are not modelled but their freshness: a write makes the place that it reaches the fresh one
 * and every other copy of that frame stale. To read a stale copy is an error, and to lose the fresh
 * one is found by the next read.
 *
 * The last space has only read rights: its domain stays clean, and yet its lines are cached.
 *
 * Each flush has a name and stands behind DO(name). A build with OMIT=name leaves it out; then the
 * search must find an error, or README.md says why it need not.
 *
 * Variants, by -D:
 *   (none)      schemes fass and flush of kernel/: sections given up are remembered as stale owners
 *   PUBLISHED   as in Wiggins et al. 2003: no stale owners, so a domain is dirty once its space has run
 *   SHARED      scheme fass-shared: a section that looks alike in several spaces has a domain
 *   BYPASS      spaces but the second may bypass the CPD: switched to as scheme flush does (../common/cpd/bypass.h)
 *   CODE        the cache is the instruction cache: read only, and it cannot be cleaned or
 *               invalidated by address
 */
/* ---- what can be left out; the first is for the whole protocol ---- */
#define nothing              0
#define mark_dirty           1  /* a switch says that the space's domain may get dirty lines */
#define switch_dacr          2  /* a switch closes the former space's domain */
#define recycle_entries      3  /* a recycled domain's entries leave the CPD */
#define recycle_clean_tlb    4  /* ... and the TLB, also where the domain is clean */
#define recycle_dirty_tlb    5  /* ... and where it is dirty */
#define recycle_dirty_cache  6  /* PUBLISHED: a dirty domain is recycled with a flush of caches */
#define collision_tlb        7  /* an entry that replaces another's: the TLB is flushed */
#define collision_cache      8  /* ... and the caches */
#define stale_cache          9  /* a section that was given up without a flush: the caches */
#define unmap_entry         10  /* a page that is unmapped leaves the CPD */
#define unmap_tlb           11  /* ... and the TLB */
#define unmap_lines         12  /* ... and the caches */
#define unmap_stale_lines   13  /* ... also where the CPD has no entry any more */
#define protect_tlb         14  /* a page that becomes read only leaves the TLB */
#define exit_entries        15  /* a space that ends: its entries leave the CPD */
#define exit_tlb            16  /* ... and the TLB */
#define exit_lines          17  /* ... and its lines the caches */
#define kernel_dacr         18  /* the kernel copies under the DACR of the space it means */
#define kernel_reads_clean  19  /* before the kernel reads a frame elsewhere its lines are cleaned */
#define kernel_writes_gone  20  /* before the kernel writes a frame elsewhere they are invalidated */
#define flush_clean         21  /* a flush writes dirty lines back */
#define flush_all           22  /* a flush has all caches (the mini data cache, say) */
#define share_equal         23  /* a section is shared only with who has the same page there */
#define share_tlb           24  /* a section that becomes shared leaves the TLB */
#define leave_dacr          25  /* a member whose page changes loses the shared domain */
#define leave_entry         26  /* ... and the CPD's entry is another's from then on */
#define recycle_shared      27  /* a shared section's domain is taken: members lose it */
#define boot_dirty          28  /* the space that runs first is known to write */
#define alias_inactive        29  /* one frame at two mva: the other is inactive while one writes */
#define protect_lines       30  /* a page that becomes read only: its lines are cleaned */
#define exchange_cache      31  /* sections taken back at once, with the switch: the caches */
#define exchange_tlb        32  /* ... and the TLB */
#define bypass_cache         33  /* a switch to or from a space that bypasses the CPD: the caches */
#define bypass_tlb           34  /* ... and the TLB */
#define bypass_entries       35  /* a space that begins to bypass the CPD: its entries leave the CPD */
#define bypass_own_lines     36  /* while it is in force its pages' lines are looked for */
#define bypass_own_tlb       37  /* ... and its TLB entries */

/* Which one this search leaves out, from the environment; the same in all states. */
byte omit;
#define DO(what) (omit != what)

#define SPACES   3
#define SECTIONS 2
#define FRAMES   2
#define DOMAINS  2 /* for spaces; with SHARED domain 3 is for a shared section */
#define SHARED_DOMAIN 3
#define NOBODY   0
#define MEMBERS  (SPACES + 1) /* the stale owner of a shared section */

/* A page of a space at a section: 0, or 1 + frame, with READ_ONLY added where it was protected. */
#define READ_ONLY 4
#define PAGE(s, m)     page[(s) * SECTIONS + (m)]
#define FRAME(p)       (((p) & 3) - 1)
#define READER         (SPACES - 1)
#define MAY_WRITE(s, p) ((s) != READER && ((p) & READ_ONLY) == 0)
/* As the hardware sees it: frame and right. */
#define ENTRY(s, m) \
    (PAGE(s, m) == 0 -> 0 : (PAGE(s, m) & 3) | (MAY_WRITE(s, PAGE(s, m)) -> 0 : READ_ONLY))
#define BIT(d) (1 << (d))

/* What the pager has decided, and what memory holds. */
byte page[SPACES * SECTIONS];
bool memory_fresh[FRAMES] = true;

/* The hardware. */
byte tlb[SECTIONS];        /* 0, or an ENTRY */
byte tlb_domain[SECTIONS];
byte line[SECTIONS];       /* 0, or 1 + frame */
bool line_fresh[SECTIONS];
bool line_dirty[SECTIONS];
byte dacr;                 /* a bit for each open domain */

/* The kernel. */
byte current;              /* the space in force */
byte cpd[SECTIONS];        /* 0, or 1 + the space whose page table the entry points to */
byte cpd_domain[SECTIONS];
byte stale[SECTIONS];      /* NOBODY, 1 + the space that gave it up without a flush, or MEMBERS */
byte domain[SPACES];       /* 0: holds none */
byte dirty;                /* a bit for each domain */
byte members;              /* of the shared section, a bit for each space */
#ifdef BYPASS
byte apart;                /* the spaces that bypass the CPD, a bit for each */
#define BYPASSES(s) ((apart & BIT(s)) != 0)
#else
#define BYPASSES(s) false
#endif

/* Scratch; 0 between steps, so that it adds no states. */
byte i, j, who;
bool moved;

/* ---- the hardware's steps ---- */

inline write_back(m) {
    if
    :: line[m] != 0 && line_dirty[m] ->
        memory_fresh[line[m] - 1] = line_fresh[m];
        line_dirty[m] = false
    :: else
    fi
}

inline drop_line(m) {
    line[m] = 0;
    line_fresh[m] = false;
    line_dirty[m] = false
}

/* Somebody wrote the frame elsewhere than in the line of `m`. */
inline stale_line(at, f) {
    if
    :: line[at] == f + 1 -> line_fresh[at] = false
    :: else
    fi
}

inline drop_translation(m) {
    tlb[m] = 0;
    tlb_domain[m] = 0
}

inline invalidate_tlb() {
    drop_translation(0);
    drop_translation(1)
}

/* A walk of its own directory, where all is in the kernel's domain. */
inline walk_own(m) {
    tlb[m] = ENTRY(current, m);
    tlb_domain[m] = 0
}

/* A walk: the CPD must not point to a page table that is gone. */
inline walk(m) {
    assert(PAGE(cpd[m] - 1, m) != 0);
    tlb[m] = ENTRY(cpd[m] - 1, m);
    tlb_domain[m] = cpd_domain[m]
}

inline check_isolation(s, m) {
    assert(PAGE(s, m) != 0 && FRAME(PAGE(s, m)) == FRAME(tlb[m]));
    assert(line[m] == 0 || line[m] - 1 == FRAME(PAGE(s, m)))
}

inline read(m) {
    check_isolation(current, m);
    if
    :: line[m] == 0 ->
        line[m] = FRAME(tlb[m]) + 1;
        line_fresh[m] = memory_fresh[FRAME(tlb[m])]
    :: else
    fi;
    assert(line_fresh[m])
}

/* These caches allocate on reads only: a write that misses goes to memory. */
inline write(m) {
    check_isolation(current, m);
    assert(MAY_WRITE(current, PAGE(current, m)));
    if
    :: line[m] == 0 -> memory_fresh[FRAME(tlb[m])] = true
    :: else ->
        memory_fresh[FRAME(tlb[m])] = false;
        line_fresh[m] = true;
        line_dirty[m] = true
    fi;
    stale_line(1 - m, FRAME(tlb[m]))
}

/* ---- the kernel's steps ---- */

/* A full flush. Who goes on running may write again at once. */
inline flush_caches() {
    if
    :: DO(flush_clean) -> write_back(0); write_back(1)
    :: else
    fi;
    drop_line(0);
    stale[0] = NOBODY;
    if
    :: DO(flush_all) -> drop_line(1)
    :: else
    fi;
    stale[1] = NOBODY;
    dirty = 0;
    mark_dirty_of(current)
}

/* As published a domain counts as dirty once its space has run at all. */
inline mark_dirty_of(s) {
    if
#ifdef PUBLISHED
    :: DO(mark_dirty) -> dirty = dirty | BIT(domain[s])
#else
    :: DO(mark_dirty) && s != READER -> dirty = dirty | BIT(domain[s])
#endif
    :: else
    fi;
#ifdef SHARED
    if
    :: DO(mark_dirty) && (members & BIT(s)) != 0 && s != READER && !BYPASSES(s) ->
        dirty = dirty | BIT(SHARED_DOMAIN)
    :: else
    fi;
#endif
    dirty = dirty & ~1 /* a space without domain has bit 0 */
}

inline open_domains_of(s) {
    dacr = (DO(switch_dacr) -> 0 : dacr) | BIT(domain[s]);
#ifdef SHARED
    dacr = dacr | ((members & BIT(s)) != 0 -> BIT(SHARED_DOMAIN) : 0);
#endif
    dacr = dacr & ~1
#ifdef BYPASS
    if
    :: BYPASSES(s) -> dacr = 1
    :: else
    fi
#endif
}

#define IN_SHARED(s, m) (cpd_domain[m] == SHARED_DOMAIN && (members & BIT(s)) != 0)
#define OWNS(s, m)                                                                       \
    (cpd[m] != 0 && ((domain[s] != 0 && cpd_domain[m] == domain[s]) || IN_SHARED(s, m)))
/* Its own one, or that of a section that it shares: else it has nothing in the TLB. */
#define HAS_DOMAINS(s)                                                                   \
    (BYPASSES(s) -> (DO(bypass_own_tlb) && (s) == current)                                \
                  : (domain[s] != 0 || (members & BIT(s)) != 0))
#define MAY_HAVE_LINES(s, m)                                                             \
    (BYPASSES(s) -> (DO(bypass_own_lines) && (s) == current) : CPD_MAY_HAVE_LINES(s, m))
#define CPD_MAY_HAVE_LINES(s, m)                                                         \
    (OWNS(s, m) || (DO(unmap_stale_lines) && (stale[m] == (s) + 1 || stale[m] == MEMBERS)))

/* An entry leaves the CPD; the caller sees to the TLB. */
inline remove_entry(m) {
#ifndef PUBLISHED
    stale[m] = (cpd_domain[m] == SHARED_DOMAIN -> MEMBERS : cpd[m]);
#endif
    if
    :: cpd_domain[m] == SHARED_DOMAIN ->
        members = 0;
        dacr = dacr & ~BIT(SHARED_DOMAIN)
    :: else
    fi;
    cpd[m] = 0;
    cpd_domain[m] = 0
}

/* Domain `d` is taken from the space that holds it. */
inline recycle(d) {
    who = (domain[0] == d -> 0 : (domain[1] == d -> 1 : 2));
    for (i : 0 .. SECTIONS - 1) {
        if
        :: DO(recycle_entries) && cpd[i] != 0 && cpd_domain[i] == d -> remove_entry(i)
        :: else
        fi
    }
    domain[who] = 0;
    if
    :: (dirty & BIT(d)) != 0 ->
#ifdef PUBLISHED
        if
        :: DO(recycle_dirty_cache) -> flush_caches()
        :: else
        fi;
#endif
        if
        :: DO(recycle_dirty_tlb) -> invalidate_tlb()
        :: else
        fi;
        dirty = dirty & ~BIT(d)
    :: else ->
        if
        :: DO(recycle_clean_tlb) -> invalidate_tlb()
        :: else
        fi
    fi;
    who = 0;
    i = 0
}

#define HELD(d) (domain[0] == d || domain[1] == d || domain[2] == d)

/* All that others have of what it maps becomes its own, with one flush; it is switched to. */
inline exchange(s) {
    for (i : 0 .. SECTIONS - 1) {
        if
        :: PAGE(s, i) != 0 && cpd_domain[i] != SHARED_DOMAIN &&
           ((cpd[i] != 0 && cpd_domain[i] != domain[s]) ||
            (cpd[i] == 0 && stale[i] != NOBODY && stale[i] != s + 1)) ->
            cpd[i] = s + 1;
            cpd_domain[i] = domain[s];
            moved = true
        :: else
        fi
    }
    if
    :: moved && DO(exchange_cache) -> flush_caches()
    :: else
    fi;
    if
    :: moved && DO(exchange_tlb) -> invalidate_tlb()
    :: else
    fi;
    moved = false;
    i = 0
}

inline switch_and_exchange(s) {
    current = s;
    exchange(s);
    mark_dirty_of(s);
    open_domains_of(s)
}

#ifdef BYPASS
/* One flush, and another directory. */
inline flush_bypass() {
    if
    :: DO(bypass_cache) -> flush_caches()
    :: else
    fi;
    if
    :: DO(bypass_tlb) -> invalidate_tlb()
    :: else
    fi
}

/* The space, which bypasses the CPD from here on if it did not, is switched to. */
inline switch_bypass(s) {
    for (i : 0 .. SECTIONS - 1) {
        if
        :: DO(bypass_entries) && domain[s] != 0 && cpd[i] != 0 && cpd_domain[i] == domain[s] ->
            remove_entry(i)
        :: else
        fi
    }
    i = 0;
    dirty = dirty & ~BIT(domain[s]);
    domain[s] = 0;
    apart = apart | BIT(s);
    current = s;
    flush_bypass();
    open_domains_of(s)
}

/* From a space that bypasses the CPD to one that is not, or not any more. */
inline leave_bypass(s, d) {
    apart = apart & ~BIT(s);
    switch_to(s, d);
    flush_bypass();
    mark_dirty_of(s)
}
#endif

/* `d` is a free domain, or that of a space other than the one that is left. */
inline switch_to(s, d) {
    if
    :: domain[s] == 0 && HELD(d) -> recycle(d); domain[s] = d
    :: domain[s] == 0 && !HELD(d) -> domain[s] = d
    :: else
    fi;
    current = s;
    mark_dirty_of(s);
    open_domains_of(s)
}

/* The space in force wants a section that another has: the entry is replaced. */
inline collide(m) {
    remove_entry(m);
    if
    :: DO(collision_tlb) -> invalidate_tlb()
    :: else
    fi;
    if
    :: DO(collision_cache) -> flush_caches()
    :: else -> stale[m] = NOBODY
    fi
}

#ifdef SHARED
/* The one shared domain is taken from the section that has it. */
inline end_shared(at) {
    moved = (dirty & BIT(SHARED_DOMAIN)) != 0;
    if
    :: DO(recycle_shared) -> remove_entry(at)
    :: else -> /* the members keep their right */
        cpd[at] = 0;
        cpd_domain[at] = 0
    fi;
    if
    :: moved -> flush_caches()
    :: else
    fi;
    dirty = dirty & ~BIT(SHARED_DOMAIN);
    invalidate_tlb();
    moved = false
}

/* The section at `m` is another's, and the space in force has the same page there. */
inline share(m) {
    if
    :: cpd_domain[m] != SHARED_DOMAIN ->
        if
        :: cpd_domain[1 - m] == SHARED_DOMAIN -> end_shared(1 - m)
        :: else
        fi;
        members = members | BIT(cpd[m] - 1);
        cpd_domain[m] = SHARED_DOMAIN;
        if
        :: DO(share_tlb) -> invalidate_tlb()
        :: else
        fi;
        /* the owner may have written */
        if
        :: cpd[m] - 1 != READER -> dirty = dirty | BIT(SHARED_DOMAIN)
        :: else
        fi
    :: else
    fi;
    members = members | BIT(current);
    mark_dirty_of(current);
    open_domains_of(current)
}

/* The page of a member changes. */
inline leave(s, m) {
    if
    :: IN_SHARED(s, m) && (members & ~BIT(s)) != 0 ->
        members = (DO(leave_dacr) -> members & ~BIT(s) : members);
        if
        :: DO(leave_dacr) && s == current -> dacr = dacr & ~BIT(SHARED_DOMAIN)
        :: else
        fi;
        if
        :: DO(leave_entry) && cpd[m] == s + 1 ->
            cpd[m] = ((members & BIT(0)) != 0 && s != 0 -> 1
                      : ((members & BIT(1)) != 0 && s != 1 -> 2 : 3))
        :: else
        fi
    :: else
    fi
}
#define SAME_PAGE(m) (!DO(share_equal) || ENTRY(cpd[m] - 1, m) == ENTRY(current, m))
#else
inline share(m) { skip }
inline leave(s, m) { skip }
#define SAME_PAGE(m) false
#endif

/* A fault of the space in force at a page that it has. */
inline fault(m) {
    /* its own entry, and yet it faults: it would do so for ever */
    assert(!OWNS(current, m));
    if
    :: cpd[m] != 0 && SAME_PAGE(m) -> share(m)
    :: else ->
        if
        :: cpd[m] != 0 -> collide(m)
        :: cpd[m] == 0 && DO(stale_cache) && stale[m] != NOBODY && stale[m] != current + 1 ->
            flush_caches()
        :: else
        fi;
        cpd[m] = current + 1;
        cpd_domain[m] = domain[current];
        stale[m] = NOBODY
    fi
}

/* The lines that a space may have at `m`: written back, and dropped if `gone`. */
inline clean_lines(s, m, gone) {
    if
    :: MAY_HAVE_LINES(s, m) ->
#ifdef CODE
        flush_instructions(gone)
#else
        write_back(m);
        if
        :: gone -> drop_line(m)
        :: else
        fi
#endif
    :: else
    fi
}

/* The instruction cache can only be emptied as a whole. */
inline flush_instructions(gone) {
    if
    :: gone -> drop_line(0); drop_line(1)
    :: else
    fi
}

inline kernel_writes(f) {
    memory_fresh[f] = true;
    stale_line(0, f);
    stale_line(1, f)
}

#define MAPS(s, f) \
    (PAGE(s, 0) != 0 && FRAME(PAGE(s, 0)) == f || PAGE(s, 1) != 0 && FRAME(PAGE(s, 1)) == f)
#define MAPPED(f) (MAPS(0, f) || MAPS(1, f) || MAPS(2, f))

/* What an unmapped frame holds is nobody's; canonical, so that it adds no states. */
inline forget(f) {
    if
    :: !MAPPED(f) ->
        memory_fresh[f] = true;
        stale_line(0, f);
        stale_line(1, f)
    :: else
    fi
}

/* A frame that nobody had before is given anew: the kernel has cleared it. */
inline map(s, m, f) {
    if
    :: !MAPPED(f) -> kernel_writes(f)
    :: else
    fi;
    PAGE(s, m) = f + 1
}

inline unmap(s, m) {
    if
    :: DO(unmap_lines) -> clean_lines(s, m, true)
    :: else
    fi;
    if
    :: DO(unmap_tlb) && HAS_DOMAINS(s) -> drop_translation(m)
    :: else
    fi;
    leave(s, m);
    if
    :: DO(unmap_entry) && OWNS(s, m) ->
        remove_entry(m);
        if
        :: DO(unmap_tlb) -> invalidate_tlb()
        :: else
        fi
    :: else
    fi;
    PAGE(s, m) = 0;
    forget(0);
    forget(1)
}

inline protect(s, m) {
    if
    :: DO(protect_lines) -> clean_lines(s, m, false)
    :: else
    fi;
    if
    :: DO(protect_tlb) && HAS_DOMAINS(s) -> drop_translation(m)
    :: else
    fi;
    leave(s, m);
    PAGE(s, m) = PAGE(s, m) | READ_ONLY
}

/* A space other than the one in force ends; its number is used again for a new one. */
inline end_space(s) {
    leave(s, 0);
    leave(s, 1);
    moved = MAY_HAVE_LINES(s, 0) || MAY_HAVE_LINES(s, 1);
#ifdef PUBLISHED
    moved = true; /* nobody knows what it has left */
#endif
    for (i : 0 .. SECTIONS - 1) {
        if
        :: DO(exit_entries) && OWNS(s, i) -> remove_entry(i)
        :: else
        fi;
        PAGE(s, i) = 0
    }
    if
    :: DO(exit_tlb) -> invalidate_tlb()
    :: else
    fi;
    dirty = dirty & ~BIT(domain[s]);
    domain[s] = 0;
#ifdef BYPASS
    apart = apart & ~BIT(s);
#endif
    if
    :: moved && DO(exit_lines) -> flush_caches()
    :: else
    fi;
    moved = false;
    forget(0);
    forget(1);
    i = 0
}

/* The kernel is about to touch frame `f` at an address of its own. */
inline meet_kernel(f) {
    for (i : 0 .. SPACES - 1) {
        for (j : 0 .. SECTIONS - 1) {
            if
            :: PAGE(i, j) != 0 && FRAME(PAGE(i, j)) == f -> clean_lines(i, j, true)
            :: else
            fi
        }
    }
    i = 0;
    j = 0
}

/* One frame at two mva, and one of them may write: never both at a time. */
#define CLASHES(s, m, t, f)                                                              \
    (PAGE(t, 1 - (m)) != 0 && FRAME(PAGE(t, 1 - (m))) == f &&                            \
     ((s) != READER || MAY_WRITE(t, PAGE(t, 1 - (m)))))
#define ALIASED(s, m, f) \
    (DO(alias_inactive) && (CLASHES(s, m, 0, f) || CLASHES(s, m, 1, f) || CLASHES(s, m, 2, f)))

#ifdef CODE
#define WRITES false
#else
#define WRITES true
#endif
#define OPEN(m) (tlb[m] != 0 && (dacr & BIT(tlb_domain[m])) != 0)

/* ---- what can happen next, for each section, space, frame and domain ---- */

#define PROGRAM(m)                                                                       \
    :: d_step { tlb[m] == 0 && cpd[m] != 0 && !BYPASSES(current) -> walk(m) }            \
    :: d_step { tlb[m] == 0 && BYPASSES(current) && PAGE(current, m) != 0 -> walk_own(m) } \
    :: d_step { BYPASSES(current) && tlb[m] != 0 && !OPEN(m) -> assert(false) }          \
    :: d_step { OPEN(m) -> read(m) }                                                     \
    :: d_step { WRITES && OPEN(m) && (tlb[m] & READ_ONLY) == 0 -> write(m) }             \
    :: d_step { PAGE(current, m) != 0 && !BYPASSES(current) && !OPEN(m) &&                        \
        (tlb[m] != 0 || cpd[m] == 0) ->                                                           \
        fault(m) }

#define HARDWARE(m)                                                                      \
    :: d_step { line[m] != 0 -> write_back(m); drop_line(m) }                            \
    :: d_step { tlb[m] != 0 -> drop_translation(m) }

/* A free domain is taken where there is one, else any but that of the space that is left. */
#define SWITCH(s)                                                                        \
    :: d_step { s != current && domain[s] != 0 && !BYPASSES(current) -> switch_to(s, 0) } \
    :: d_step { EXCHANGES && s != current && domain[s] != 0 -> switch_and_exchange(s) }  \
    :: d_step { TAKES(s, 1, 2) && !BYPASSES(s) && !BYPASSES(current) -> switch_to(s, 1) }         \
    :: d_step { TAKES(s, 2, 1) && !BYPASSES(s) && !BYPASSES(current) -> switch_to(s, 2) }         \
    :: d_step { s != current -> end_space(s) }                                           \
    STEP_BYPASS(s)

/* With others of these the search would take minutes. */
#if defined(SHARED) || defined(BYPASS)
#define EXCHANGES false
#else
#define EXCHANGES true
#endif

#define TAKES(s, d, e)                                                                   \
    (s != current && domain[s] == 0 && domain[current] != d && (!HELD(d) || HELD(e)))

#ifdef BYPASS
#define STEP_BYPASS(s)                                                                    \
    :: d_step { s != current && s != 1 -> switch_bypass(s) }                              \
    :: d_step { s != current && domain[s] != 0 && BYPASSES(current) -> leave_bypass(s, 0) } \
    :: d_step { TAKES(s, 1, 2) && (BYPASSES(s) || BYPASSES(current)) -> back(s, 1) }     \
    :: d_step { TAKES(s, 2, 1) && (BYPASSES(s) || BYPASSES(current)) -> back(s, 2) }

inline back(s, d) {
    if
    :: BYPASSES(current) -> leave_bypass(s, d)
    :: else ->
        apart = apart & ~BIT(s);
        switch_to(s, d)
    fi
}
#else
#define STEP_BYPASS(s)
#endif

#define PAGER(s, m)                                                                      \
    :: d_step { PAGE(s, m) == 0 && !ALIASED(s, m, 0) -> map(s, m, 0) }                 \
    :: d_step { PAGE(s, m) == 0 && !ALIASED(s, m, 1) -> map(s, m, 1) }                 \
    :: d_step { PAGE(s, m) != 0 -> unmap(s, m) }                                         \
    :: d_step { s == 0 && PAGE(s, m) != 0 && MAY_WRITE(s, PAGE(s, m)) -> protect(s, m) } \
    COPY(s, m)

/* The kernel uses a frame at an address of its own: one that is given anew, that it copies, or,
 * in Linux, that is in the page cache as well. */
#define KERNEL(f)                                                                        \
    :: d_step { MAPPED(f) -> kernel_read_mapped(f) }                                     \
    :: d_step { MAPPED(f) -> kernel_write_mapped(f) }

inline kernel_read_mapped(f) {
    if
    :: DO(kernel_reads_clean) -> meet_kernel(f)
    :: else
    fi;
    assert(memory_fresh[f])
}

inline kernel_write_mapped(f) {
    if
    :: DO(kernel_writes_gone) -> meet_kernel(f)
    :: else
    fi;
    kernel_writes(f)
}

/* The kernel copies from space `s`, not the one in force, at the space's own address. It does so
 * under that space's DACR, which is a switch and so nothing new; or, a known mistake, with all
 * domains open. */
#define COPY(s, m)                                                                       \
    :: d_step { !DO(kernel_dacr) && s != current && PAGE(s, m) != 0 && cpd[m] != 0 &&    \
        tlb[m] == 0 && !BYPASSES(current) -> walk(m); check_isolation(s, m) }

active proctype system() {
    c_code { now.omit = getenv("OMIT") ? atoi(getenv("OMIT")) : 0; };
    d_step {
        domain[0] = 1;
        if
        :: DO(boot_dirty) -> mark_dirty_of(0)
        :: else
        fi;
        open_domains_of(0)
    };
    do
    PROGRAM(0)
    PROGRAM(1)
    HARDWARE(0)
    HARDWARE(1)
    SWITCH(0)
    SWITCH(1)
    SWITCH(2)
    PAGER(0, 0)
    PAGER(0, 1)
    PAGER(1, 0)
    PAGER(1, 1)
    PAGER(2, 0)
    PAGER(2, 1)
    KERNEL(0)
    KERNEL(1)
    od
}
