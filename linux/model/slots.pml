/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Slots of Linux with fast address-space switching (CONFIG_ARM_FASS), as a model that Spin searches
 * whole: which slot a space may have, where mappings come and go, and grow by themselves.
 *
 * What is modelled. Addresses are in places: the lowest, which the processor moves to the space's slot;
 * two that are slots themselves; and what lies above. Two spaces, the second one a child of the first,
 * have something in the lowest and map, unmap and inherit something in the others. One mapping of each may
 * grow downwards, when an access needs that, over so many places as its limit allows and down to
 * what is next. The TLB and the cache have one entry and one line; whether these are evicted is the
 * search's choice. What happens between two spaces that use the same modified virtual address is in
 * the model of L4's schemes (kernel/arch/arm/switch/model): here it is right.
 *
 * Each rule has a name and follows DO(name). OMIT=name leaves it out; then the search must find an
 * error.
 */
#define nothing     0
#define added       1 /* who maps something in its slot leaves that */
#define grown       2 /* ... and who has something grow into it */
#define ahead       3 /* a slot into which something may grow is as one where something is */
#define removed     4 /* ... also if it may since something else has gone from between */
#define raised      5 /* ... or since its limit was raised */
#define inherited   6 /* a child leaves the slot that it was given before it had any mappings */
#define chosen      7 /* the other slot is one where nothing is and nothing may grow */
#define leave_tlb   8 /* who leaves has nothing in the TLB */
#define leave_lines 9 /* ... and in the cache */

byte omit;
#define DO(what) (omit != what)

#define SPACES 2
#define SLOTS  3 /* 0: none, the lowest place is not moved */
#define ABOVE  3 /* the place above the slots */
#define LOW    1 /* what an entry leads to: the lowest place's memory, */
#define THERE  2 /* or that of the place itself */

/* Linux. */
bool lives[SPACES];
byte slot[SPACES];
bool has_1[SPACES], has_2[SPACES]; /* something mapped in a place that is a slot */
byte bottom[SPACES];               /* the place down to which the mapping has grown; 0: none grows */
byte limit[SPACES];                /* over how many more it may */
byte current;

/* The processor: where, whose, and what. */
byte tlb, tlb_of, tlb_what;
byte line, line_of, line_what;

#define HAS(s, place) ((place) == 1 -> has_1[s] : has_2[s])
/* By its mappings an access there is right, as there is memory or will be. */
#define FREE_1(s) (bottom[s] > 1 && !has_1[s] && (bottom[s] == 2 || !has_2[s]))
#define FREE_2(s) (bottom[s] > 2 && !has_2[s])
#define GROWS_1(s) (FREE_1(s) && limit[s] >= bottom[s] - 1)
#define GROWS_2(s) (FREE_2(s) && limit[s] >= 1)
#define GROWS(s, place) ((place) == 1 -> GROWS_1(s) : GROWS_2(s))
#define TOUCHES(s, place) (HAS(s, place) || (DO(ahead) && GROWS(s, place)))

inline drop_tlb() {
    tlb = 0;
    tlb_of = 0;
    tlb_what = 0
}

inline drop_line() {
    line = 0;
    line_of = 0;
    line_what = 0
}

inline choose(s) {
    if
    :: !TOUCHES(s, 1) || !DO(chosen) -> slot[s] = 1
    :: !TOUCHES(s, 2) || !DO(chosen) -> slot[s] = 2
    :: TOUCHES(s, 1) && TOUCHES(s, 2) -> slot[s] = 0
    fi
}

inline look(s, rule) {
    if
    :: DO(rule) && slot[s] != 0 && TOUCHES(s, slot[s]) ->
        if
        :: tlb_what != 0 && tlb_of == s && DO(leave_tlb) -> drop_tlb()
        :: else
        fi;
        if
        :: line_what != 0 && line_of == s && DO(leave_lines) -> drop_line()
        :: else
        fi;
        choose(s)
    :: else
    fi
}

inline set(s, place, value) {
    if
    :: place == 1 -> has_1[s] = value
    :: place == 2 -> has_2[s] = value
    :: else
    fi
}

/* Who runs reaches a modified virtual address (0 counts as 4) and means what is there. */
inline reach(mva, what) {
    if
    :: tlb == mva && tlb_of == current -> assert(tlb_what == what)
    :: else ->
        tlb = mva;
        tlb_of = current;
        tlb_what = what
    fi;
    if
    :: line == mva && line_of == current -> assert(line_what == what)
    :: else ->
        line = mva;
        line_of = current;
        line_what = what
    fi
}

inline reach_low() {
    reach((slot[current] == 0 -> 4 : slot[current]), LOW)
}

/* A debugger's access counts by the debugger's limit. */
inline grow_to(s, place) {
    limit[s] = (limit[s] > bottom[s] - place -> limit[s] - (bottom[s] - place) : 0);
    has_2[s] = has_2[s] || place <= 2;
    has_1[s] = has_1[s] || place == 1;
    bottom[s] = place;
    look(s, grown)
}

/* In its own slot it comes to its own lowest place, whatever it means. */
inline reach_place(place) {
    if
    :: slot[current] == place -> assert(!HAS(current, place) && !GROWS(current, place))
    :: else ->
        if
        :: GROWS(current, place) -> grow_to(current, place)
        :: else
        fi;
        if
        :: HAS(current, place) -> reach(place, THERE)
        :: else /* it ends, or its handler does something else */
        fi
    fi
}

inline unmap(s, place) {
    if
    :: bottom[s] == place -> bottom[s] = 0
    :: else
    fi;
    set(s, place, false);
    if
    :: tlb == place && tlb_of == s && tlb_what == THERE -> drop_tlb()
    :: else
    fi;
    if
    :: line == place && line_of == s && line_what == THERE -> drop_line()
    :: else
    fi;
    look(s, removed)
}

/* The slot comes first, and is any. */
inline fork() {
    if
    :: slot[1] = 1
    :: slot[1] = 2
    fi;
    lives[1] = true;
    has_1[1] = has_1[0];
    has_2[1] = has_2[0];
    bottom[1] = bottom[0];
    limit[1] = limit[0];
    look(1, inherited)
}

inline exit() {
    lives[1] = false;
    slot[1] = 0;
    has_1[1] = false;
    has_2[1] = false;
    bottom[1] = 0;
    limit[1] = 0;
    current = 0;
    if
    :: tlb_of == 1 -> drop_tlb()
    :: else
    fi;
    if
    :: line_of == 1 -> drop_line()
    :: else
    fi
}

#define SPACE(s)                                                                             \
    :: atomic { lives[s] && s != current -> current = s }                                    \
    :: atomic { lives[s] && !has_1[s] -> has_1[s] = true; look(s, added) }                   \
    :: atomic { lives[s] && !has_2[s] -> has_2[s] = true; look(s, added) }                   \
    :: atomic { lives[s] && has_1[s] -> unmap(s, 1) }                                        \
    :: atomic { lives[s] && has_2[s] -> unmap(s, 2) }                                        \
    :: atomic { lives[s] && bottom[s] == 0 -> bottom[s] = ABOVE; look(s, added) }            \
    :: atomic { lives[s] && bottom[s] == 0 && !has_2[s] ->                                   \
        has_2[s] = true; bottom[s] = 2; look(s, added) }                                     \
    :: atomic { lives[s] && bottom[s] == ABOVE -> bottom[s] = 0 }                            \
    :: atomic { lives[s] && limit[s] < 2 -> limit[s]++; look(s, raised) }                   \
    :: atomic { lives[s] && FREE_1(s) -> grow_to(s, 1) }                                     \
    :: atomic { lives[s] && FREE_2(s) -> grow_to(s, 2) }

active proctype system() {
    c_code { now.omit = getenv("OMIT") ? atoi(getenv("OMIT")) : 0; };
    lives[0] = true;
    slot[0] = 1;
    do
    SPACE(0)
    SPACE(1)
    :: atomic { !lives[1] -> fork() }
    :: atomic { lives[1] -> exit() }
    /* the program */
    :: atomic { true -> reach_low() }
    :: atomic { true -> reach_place(1) }
    :: atomic { true -> reach_place(2) }
    /* the processor */
    :: d_step { tlb_what != 0 -> drop_tlb() }
    :: d_step { line_what != 0 -> drop_line() }
    od
}
