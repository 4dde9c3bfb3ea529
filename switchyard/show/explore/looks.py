# SPDX-License-Identifier: Apache-2.0
"""What there is to see on the pages of the cases, in turn, and what each way to switch does.

Where the page goes for it is a name of `GUIDED` in `page/explore.js`: begin, flush, switch, miss,
fault, recycled, slot, end; "" stays.
"""

LOOK = {
    "ipc": (
        (
            "begin",
            "Two programs at the same addresses take turns, and run the same instructions on "
            "both sides. Each small square is a line of a cache or an entry of a TLB; its "
            "colour says whose it is. Under flush nearly all are empty: the last switch has "
            "emptied them. Under fass they hold what both programs and the kernel need.",
        ),
        (
            "flush",
            "A cache that goes by virtual addresses cannot tell whose line it has. So under "
            "flush the kernel empties it before another program runs. This processor has no "
            "operation that writes the data cache back: the kernel reads zeros until each dirty "
            "line was pushed out, and only then empties all of it.",
        ),
        (
            "switch",
            "The switch itself is one register under flush, the page table's address. Under "
            "fass there are two, DACR and PID, and nothing is emptied: the other program's "
            "lines and translations stay, and are hatched where the DACR denies their domain.",
        ),
        (
            "miss",
            "After a flush the next program finds nothing: its first instructions wait for "
            "their lines, and for walks through the page tables. That is the flush's price, "
            "too.",
        ),
        (
            "end",
            "From place to place, the table below counts what went into fills and walks: "
            "flush takes many times as long for the same.",
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
            "entry goes from the page directory, and all translations are forgotten, as some "
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
            "Under flush CR3 is loaded: all translations but the kernel's are forgotten, and "
            "with them the trace cache. The next program's first instructions wait for walks, "
            "and are decoded anew.",
        ),
        (
            "",
            "With small spaces the next program lies in a corner of the same page directory. "
            "Its segments are loaded, which end where its corner ends; nothing is forgotten.",
        ),
        (
            "miss",
            "The lines of the caches stay on both sides: they go by physical addresses. What "
            "flush lacks now is in the TLBs and in the trace cache.",
        ),
        (
            "end",
            "The table below counts it, from place to place.",
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
    "fass": "tells programs apart by domain and slot, and empties nothing",
    "fass-shared": "as fass; memory that programs share is in the TLBs once",
    "single-space": "all programs share one address space: nothing to switch",
    "tags": "caches and TLBs have tags: nothing to empty",
}
PC_DOES = {
    "flush": "loads CR3: translations and decoded instructions are forgotten",
    "small-spaces": "changes segments, and forgets nothing",
}
