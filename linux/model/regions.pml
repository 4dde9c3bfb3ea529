/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Regions of Linux with fast address-space switching (CONFIG_ARM_FASS_SHARED), as a model that Spin
 * searches whole: what several spaces have mapped alike, with page tables that are a cache of the
 * members' own. What domains, collisions and flushes are for is in the model of L4's schemes
 * (kernel/arch/arm/switch/model); here is what Linux does beyond it.
 *
 * What is modelled. One page of one file, at one address of three spaces, which may have it mapped,
 * and two frames for it. Each space has its own page table entry, which Linux fills at a fault,
 * and empties or protects one at a time (reclaim, writing to disk), or in the steps in which it
 * unmaps a range: caches are flushed, entries cleared, TLBs flushed, and then the page let go. Others
 * run in between, and so do other threads of that space. The TLB and the cache have one place; whether it
 * is evicted is the search's choice.
 *
 * Data are not modelled but their freshness, as in fass.pml. Whether a page must be written to disk is: who
 * may write it has that noted in its own page table entry.
 *
 * Each rule has a name and stands behind DO(name). OMIT=name leaves it out; then the search must find an
 * error.
 */
#define nothing          0
#define leave_range      1  /* a flush of the caches for a range ends the membership */
#define switch_dacr      2  /* a switch opens the region's domain for members only */
#define leave_entries    3  /* ... the region's page table is emptied */
#define leave_tlb        4  /* ... and the TLB */
#define leave_lines      5  /* ... and the cache, there */
#define end_entry        6  /* with fewer than two members the directory has no entry of it */
#define forget_entry     7  /* TLB maintenance for a member empties the region's page table */
#define forget_tlb       8  /* ... and the TLB, also if the member has no domain of its own */
#define lines_of_all     9  /* a member's lines are looked for whether it has run or not */
#define join_not_pending 10 /* nobody joins while TLBs are still to be flushed for it */
#define range_lines      11 /* who leaves no region has its lines flushed; a region's are gone already */

byte omit;
#define DO(what) (omit != what)

#define SPACES 3
#define REGION 4 /* where 1 + a space stands for what is its own */
#define WRITE  4 /* in an entry, beside 1 + frame */
#define FRAME(e) (((e) & 3) - 1)

/* Linux. */
bool mapped[SPACES];
byte pte[SPACES];
byte stage[SPACES];     /* of an unmapping: 1 caches flushed, 2 entry cleared, TLB not yet */
bool held[SPACES];      /* ... and it holds the page until then */
byte file;              /* 1 + the frame that has the page; 0: none */
bool to_disk;           /* the page must be written there before it is dropped */
bool written;           /* ... and really must */
bool memory_fresh[2] = true;

/* Fast switching. */
byte current;
bool ran[SPACES];       /* since the caches were flushed */
bool member[SPACES];
byte table;             /* the region's */
byte directory;         /* 0, 1 + space, or REGION */
bool opened;            /* the DACR has the region's domain */

/* The processor. */
byte tlb, tlb_of;       /* an entry, and whose domain it has */
byte line;              /* 1 + frame */
bool line_fresh, line_dirty;

#define MEMBERS  (member[0] + member[1] + member[2])
#define ACTIVE   (MEMBERS > 1)
#define MAPS     (pte[0] != 0 || pte[1] != 0 || pte[2] != 0)
#define HELD     (held[0] || held[1] || held[2])

inline drop_tlb() {
    tlb = 0;
    tlb_of = 0
}

inline write_back() {
    if
    :: line != 0 && line_dirty ->
        memory_fresh[line - 1] = line_fresh;
        line_dirty = false
    :: else
    fi
}

inline flush_line() {
    write_back();
    line = 0;
    line_fresh = false
}

inline flush_caches() {
    flush_line();
    ran[0] = current == 0;
    ran[1] = current == 1;
    ran[2] = current == 2
}

inline set_dacr() {
    opened = ACTIVE && (member[current] || !DO(switch_dacr))
}

inline leave(s) {
    if
    :: member[s] && ACTIVE ->
        member[s] = false;
        if
        :: DO(leave_entries) -> table = 0
        :: else
        fi;
        if
        :: DO(leave_lines) -> flush_line()
        :: else
        fi;
        if
        :: DO(leave_tlb) -> drop_tlb()
        :: else
        fi;
        if
        :: MEMBERS == 1 ->
            table = 0;
            if
            :: directory == REGION && DO(end_entry) ->
                directory = 0;
                drop_tlb()
            :: else
            fi
        :: else
        fi;
        set_dacr()
    :: else -> member[s] = false
    fi
}

/* What Linux calls for one page of one space, or for a range without a change of the mapping. */
inline flush_cache_page(s) {
    if
    :: ran[s] || (DO(lines_of_all) && member[s] && ACTIVE) -> flush_line()
    :: else
    fi
}

inline flush_tlb(s) {
    if
    :: member[s] && ACTIVE ->
        if
        :: DO(forget_entry) -> table = 0
        :: else
        fi;
        if
        :: DO(forget_tlb) -> drop_tlb()
        :: else
        fi
    :: else
    fi;
    if
    :: tlb_of == s + 1 -> drop_tlb()
    :: else
    fi
}

/* A page table entry that goes, or loses its right: what it knew is the page's from here on. */
inline note(s) {
    to_disk = to_disk || (pte[s] & WRITE) != 0
}

inline kernel_writes(f) {
    memory_fresh[f] = true;
    if
    :: line == f + 1 -> line_fresh = false
    :: else
    fi
}

/* The page that the file has not, or not any more, comes into a frame. */
inline fill(f) {
    file = f + 1;
    to_disk = false;
    written = false;
    kernel_writes(f)
}

inline page_fault(s, write) {
    pte[s] = file | (write || (pte[s] & WRITE) != 0 -> WRITE : 0);
    flush_tlb(s)
}

/* At a fault of its own or of another; this may be given up, and any later one does it again. */
inline join(s) {
    member[s] = true;
    set_dacr()
}

/* A collision flushes; what that is for is in the other model. */
inline place(owner) {
    if
    :: directory != 0 && directory != owner ->
        drop_tlb();
        flush_caches()
    :: else
    fi;
    directory = owner
}

/* The fault of the space that runs, whose access found no entry that it may use. */
inline find() {
    if
    :: ACTIVE && member[current] ->
        table = (table == 0 -> pte[current] : table);
        place(REGION);
        set_dacr()
    :: else -> place(current + 1)
    fi
}

/* The region's page table is freed when it has no two members. */
inline walk() {
    assert(directory != REGION || ACTIVE);
    tlb = (directory == REGION -> table : pte[directory - 1]);
    tlb_of = (tlb == 0 -> 0 : directory)
}

/* While it unmaps, other threads may reach the page, which is held until they cannot. */
inline check() {
    assert(mapped[current] || stage[current] != 0);
    assert(file == FRAME(tlb) + 1);
    assert(line == 0 || line == file)
}

inline read() {
    check();
    if
    :: line == 0 ->
        line = file;
        line_fresh = memory_fresh[file - 1]
    :: else
    fi;
    assert(line_fresh)
}

inline write() {
    read();
    memory_fresh[file - 1] = false;
    line_dirty = true;
    /* of who writes while it unmaps itself nothing is promised */
    written = written || stage[current] == 0
}

/* A thread that reads what another unmaps may leave a line: without fast switching, too. */
inline forget_races() {
    if
    :: stage[current] != 0 -> flush_line()
    :: else
    fi
}

#define OPEN (tlb != 0 && (tlb_of == current + 1 || (tlb_of == REGION && opened)))
#define IN_REGION (ACTIVE && member[current])
#define FOUND (IN_REGION -> (table != 0 || pte[current] != 0) : pte[current] != 0)
#define IN_PLACE (IN_REGION -> (directory == REGION && table != 0) : directory == current + 1)

#define SPACE(s)                                                                         \
    :: d_step { s != current -> current = s; ran[s] = true; set_dacr() }                 \
    /* reclaim, and writing to disk: one entry at a time, with its lock held */          \
    :: d_step { pte[s] != 0 -> flush_cache_page(s); note(s); pte[s] = 0; flush_tlb(s) }  \
    :: d_step { (pte[s] & WRITE) != 0 ->                                                 \
        flush_cache_page(s); note(s); pte[s] = pte[s] & 3; flush_tlb(s) }                \
    :: d_step { mapped[s] && !member[s] && (stage[s] == 0 || !DO(join_not_pending)) -> join(s) }

/* The last of the spaces keeps what it has mapped: that is enough to be left with. */
#define UNMAPPING(s)                                                                     \
    :: d_step { !mapped[s] && stage[s] == 0 -> mapped[s] = true }                        \
    :: d_step { mapped[s] && stage[s] == 0 -> start(s); mapped[s] = s == 1 }             \
    :: d_step { stage[s] == 1 -> note(s); held[s] = pte[s] != 0; pte[s] = 0; stage[s] = 2 } \
    :: d_step { stage[s] == 2 -> flush_tlb(s); held[s] = false; stage[s] = 0 }

inline start(s) {
    if
    :: DO(leave_range) && member[s] && ACTIVE -> leave(s)
    :: else ->
        if
        :: DO(leave_range) -> leave(s)
        :: else
        fi;
        if
        :: DO(range_lines) -> flush_cache_page(s)
        :: else
        fi
    fi;
    stage[s] = 1
}

/* Nobody may have it, and it has been cleaned: only then is it on the disk what it was. */
inline to_the_disk() {
    flush_cache_page(0);
    flush_cache_page(1);
    flush_cache_page(2);
    assert(memory_fresh[file - 1]);
    to_disk = false;
    written = false
}

#define WRITERS (((pte[0] | pte[1] | pte[2]) & WRITE) != 0)

active proctype system() {
    c_code { now.omit = getenv("OMIT") ? atoi(getenv("OMIT")) : 0; };
    ran[0] = true;
    mapped[1] = true;
    mapped[2] = true;
    do
    SPACE(0)
    SPACE(1)
    SPACE(2)
    /* munmap and mmap; and MADV_DONTNEED, where the mapping stays */
    UNMAPPING(0)
    UNMAPPING(1)
    :: d_step { file == 0 -> fill(0) }
    :: d_step { file == 0 -> fill(1) }
    :: d_step { file != 0 && !WRITERS && to_disk -> to_the_disk() }
    :: d_step { file != 0 && !MAPS && !HELD && !to_disk -> assert(!written); file = 0 }
    /* the program */
    :: d_step { tlb == 0 && directory != 0 -> walk() }
    :: d_step { OPEN -> read(); forget_races() }
    :: d_step { OPEN && (tlb & WRITE) != 0 -> write(); forget_races() }
    :: d_step { !OPEN && FOUND && (tlb != 0 || !IN_PLACE) -> find() }
    :: d_step { !FOUND && mapped[current] && file != 0 -> page_fault(current, false) }
    :: d_step { mapped[current] && file != 0 && (pte[current] & WRITE) == 0 ->
        page_fault(current, true) }
    /* the processor, and who needs a domain */
    :: d_step { line != 0 -> flush_line() }
    :: d_step { tlb != 0 -> drop_tlb() }
    :: d_step { directory != 0 -> directory = 0; drop_tlb() }
    :: d_step { flush_caches() }
    od
}
