# SPDX-License-Identifier: Apache-2.0
"""What there is to see on the pages of the cases, in turn, and what each way to switch does.

Where the page goes for it is a place that `placeOf` in `page/explore.js` knows: begin, flush,
switch, miss, fault, recycled, slot, end; "/1" after it is the second side's, "" stays.
"""

LOOK = {
    "ipc": (
        (
            "begin",
            "Two programs, A and B, use the same addresses and take turns: the same programs on "
            "the left and on the right. Each small square is a line of a cache or an entry of a "
            "TLB; its colour says whose it is. On the left (flush) nearly all are empty: the last "
            "switch has emptied them. On the right (fass) they hold what both programs and the "
            "kernel need.",
        ),
        (
            "switch/1",
            "On the right, under fass, the kernel switches by two registers: DACR opens B's "
            "domain and closes A's, PID moves the low addresses to B's slot. Nothing is emptied: "
            "A's lines and translations stay, and are hatched where their domain is closed.",
        ),
        (
            "flush",
            "On the left, under flush: a virtually addressed cache cannot tell whose line it has, "
            "so the kernel empties it before B runs. This processor cannot write its whole data "
            "cache back: the kernel reads a block of zeros until every dirty line has been "
            "evicted, and only then empties the cache. Reading them is most of the cost.",
        ),
        (
            "switch/0",
            "The switch itself is one register here, too: ttb, the address of B's page table.",
        ),
        (
            "miss/0",
            "Now B resumes, and finds caches and TLBs empty. Its first instructions miss: they "
            "wait for walks through the page tables and for lines to be filled. That is part of "
            "the flush's cost, too. On the right B misses hardly anything.",
        ),
        (
            "end",
            "The table below counts the cycles between the marked points, and what went into "
            "filling lines and walking page tables: the same work takes many times as long on "
            "the left.",
        ),
    ),
    "recycle": (
        (
            "begin",
            "With fass the programs' translations stay in the TLBs, each marked with a domain, "
            "a number from 0 to 15. With 14 clients there is a domain for each program, with "
            "24 there are more programs than domains.",
        ),
        (
            "switch",
            "Of 14 clients each has a domain: the DACR opens it, and that is all.",
        ),
        (
            "recycled",
            "Of 24 clients this one has none. The kernel takes another space's: that one's "
            "entry goes from the page directory, and all translations are invalidated, as some "
            "carry its number.",
        ),
        (
            "",
            "The caches keep their lines, dirty ones too. They are flushed only when another "
            "space takes a megabyte that has lines.",
        ),
        (
            "fault",
            "Then the client faults, as the directory has no entry for it yet, and the kernel "
            "copies what it needs.",
        ),
    ),
    "pagefault": (
        (
            "begin",
            "A program is about to read from a page that it does not have. Under flush the "
            "kernel empties caches and TLBs at each switch, under fass it does not.",
        ),
        (
            "fault",
            "The load fails: a walk through the page table has found nothing, and has taken as "
            "long as any other. The kernel is called.",
        ),
        (
            "switch",
            "A fault is a message to another program, the pager. See the switch to it and the "
            "one back: with flush, both empty everything, for one page.",
        ),
        (
            "end",
            "The kernel's own work, the mapping, is the longest stretch with fass, and hardly "
            "to be found with flush: see the table below.",
        ),
    ),
    "small-spaces": (
        (
            "begin",
            "Two programs on a Pentium 4 take turns. Each small square is a line of a cache or "
            "an entry of a TLB; its colour says whose it is.",
        ),
        (
            "switch",
            "Under flush CR3 is loaded, which empties the TLBs of all but the kernel's "
            "translations, and the trace cache. The next program's first instructions wait for "
            "walks, and are decoded anew.",
        ),
        (
            "",
            "With small spaces the next program lies in a corner of the same page directory. "
            "Its segments are loaded, which end where its corner ends; nothing is emptied.",
        ),
        (
            "miss",
            "The lines of the caches stay on both sides: they are physically addressed. What "
            "flush lacks now is in the TLBs and in the trace cache.",
        ),
        (
            "end",
            "The table below counts it, from one marked point to the next.",
        ),
    ),
    "linux": (
        (
            "begin",
            "A program writes a byte into a pipe, and another one reads it and answers. Most of "
            "what follows is Linux: a system call, the pipe, waking who waits, choosing who "
            "runs next. Each small square is a line of a cache or an entry of a TLB; its colour "
            "says whose it is: most are the kernel's.",
        ),
        (
            "flush",
            "The unmodified kernel empties caches and TLBs before it takes the other program's "
            "page table. The data cache is written back by reading: its squares are what was "
            "read to push the others out.",
        ),
        (
            "miss",
            "Nothing of Linux is left there either: it fetches its own code anew, line by line, "
            "after each of the two switches.",
        ),
        (
            "slot",
            "With fast switching the PID register is written and, before the program goes on, "
            "the DACR; all stays: the next program and the kernel find their lines and "
            "translations.",
        ),
        (
            "end",
            "The table below compares: both kernels do the same, and what the unmodified one "
            "takes longer are fills and walks.",
        ),
    ),
}
# What each way to switch does, below its name.
DOES = {
    "flush": "empties caches and TLBs at each switch",
    "fass": "fast address-space switching, by domain and slot: empties nothing",
    "fass-shared": "as fass; memory that programs share is in the TLBs once",
    "single-space": "all programs share one address space: nothing to switch",
    "tags": "caches and TLBs have tags: nothing to empty",
}
PC_DOES = {
    "flush": "loads CR3, which empties the TLBs and the trace cache",
    "small-spaces": "changes segments, and empties nothing",
}
