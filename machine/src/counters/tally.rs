// SPDX-License-Identifier: Apache-2.0
//! What is counted: the list of counters, in groups of which an architecture has some
//! ([`Processor::COUNTER_GROUPS`](crate::arch::Processor::COUNTER_GROUPS)), and room for counters that an
//! architecture brings with it, by names of its own
//! ([`Observed::OWN_COUNTERS`](crate::observe::Observed::OWN_COUNTERS)).

use std::ops::{AddAssign, Index, IndexMut, Sub};

use serde::{Deserialize, Serialize};

/// A counter: how it is chosen, and where its value is.
#[derive(Debug, Clone, Copy)]
pub struct Counter {
    /// The number that guests choose it by (`PROBE_COUNTER_SELECT`). Images have it in them: it
    /// stays what it is.
    pub number: u32,
    /// Its group, by the name of the field of [`Tally`]; [`OWN`] of one that an architecture brings.
    pub group: &'static str,
    /// Its name, in statistics and everywhere else.
    pub name: &'static str,
    /// Its value.
    pub of: fn(&Tally) -> u64,
}

/// The group of the counters that an architecture brings.
pub const OWN: &str = "own";
/// How many these are at most.
const MOST_OWN: usize = 16;

/// What an architecture counts by itself, by its numbering.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Own([u64; MOST_OWN]);

impl Index<usize> for Own {
    type Output = u64;

    #[inline]
    fn index(&self, n: usize) -> &u64 {
        &self.0[n]
    }
}

impl IndexMut<usize> for Own {
    #[inline]
    fn index_mut(&mut self, n: usize) -> &mut u64 {
        &mut self.0[n]
    }
}

impl AddAssign for Own {
    fn add_assign(&mut self, other: Self) {
        for (mine, theirs) in self.0.iter_mut().zip(other.0) {
            *mine += theirs;
        }
    }
}

impl Sub for Own {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self(std::array::from_fn(|n| self.0[n] - other.0[n]))
    }
}

/// Declares [`Tally`], its groups and its list of counters from one list: for each group the field
/// and the type, for each counter the field, the number and the name.
macro_rules! tally {
    ($($(#[$about:meta])* $group:ident: $type:ident {
        $($(#[$doc:meta])* $field:ident = $number:literal $name:literal,)+
    })+) => {
        $(
            $(#[$about])*
            #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
            pub struct $type { $($(#[$doc])* pub $field: u64),+ }

            impl AddAssign for $type {
                fn add_assign(&mut self, other: Self) { $(self.$field += other.$field;)+ }
            }

            impl Sub for $type {
                type Output = Self;
                fn sub(self, other: Self) -> Self { Self { $($field: self.$field - other.$field),+ } }
            }
        )+

        /// One value for each thing that is counted, in groups.
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
        pub struct Tally {
            $($(#[$about])* pub $group: $type,)+
            /// What the architecture brings.
            pub own: Own,
        }

        impl Tally {
            /// Every counter but those that an architecture brings, by group.
            pub const COUNTERS: &'static [Counter] = &[$($(Counter {
                number: $number,
                group: stringify!($group),
                name: $name,
                of: |tally| tally.$group.$field,
            }),+),+];
        }

        impl AddAssign for Tally {
            fn add_assign(&mut self, other: Self) {
                $(self.$group += other.$group;)+
                self.own += other.own;
            }
        }

        impl Sub for Tally {
            type Output = Self;
            fn sub(self, other: Self) -> Self {
                Self { $($group: self.$group - other.$group,)+ own: self.own - other.own }
            }
        }
    };
}

tally! {
    /// Running.
    run: Run {
        /// Cycles of the processor's clock.
        cycles = 0 "cycles",
        /// Instructions issued, those that failed their condition included.
        instructions = 1 "instructions",
        /// Cycles slept through, waiting for an interrupt.
        idle = 53 "idle_cycles",
    }
    /// Waiting for memory.
    stall: Stall {
        /// Cycles spent waiting for line fills.
        fill = 22 "fill_stall_cycles",
        /// Cycles spent in table walks.
        walk = 23 "walk_stall_cycles",
        /// Cycles spent waiting for the write buffer.
        write_buffer = 24 "write_buffer_stall_cycles",
    }
    /// The instruction cache.
    icache: InsnCache {
        /// Instruction fetches that looked into the instruction cache.
        accesses = 2 "icache_accesses",
        /// Of these, those that filled a line.
        misses = 3 "icache_misses",
        /// Operations that invalidate the whole instruction cache.
        invalidate_all = 25 "icache_invalidate_all",
        /// Operations that invalidate one line of the instruction cache.
        invalidate_line = 50 "icache_invalidate_line",
    }
    /// The main data cache.
    dcache: DataCache {
        /// Words and parts of words read that looked into the main data cache.
        reads = 4 "dcache_reads",
        /// Of these, those that filled a line.
        read_misses = 5 "dcache_read_misses",
        /// Words and parts of words written that looked into the main data cache.
        writes = 6 "dcache_writes",
        /// Of these, those that went on to the write buffer.
        write_misses = 7 "dcache_write_misses",
        /// Dirty half lines written back from the main data cache (evicted or cleaned).
        writebacks = 8 "dcache_writebacks",
        /// Operations that invalidate the whole data cache (and the mini data cache with it).
        invalidate_all = 26 "dcache_invalidate_all",
        /// Operations that invalidate one line of the data cache.
        invalidate_line = 27 "dcache_invalidate_line",
        /// Operations that clean one line of the data cache.
        clean_line = 28 "dcache_clean_line",
        /// Operations that look for a dirty line of the data cache and clean it.
        test_clean = 52 "dcache_test_clean",
    }
    /// The mini data cache (SA-1110).
    minicache: MiniCache {
        /// Reads that looked into the mini data cache.
        reads = 9 "minicache_reads",
        /// Of these, those that filled a line.
        read_misses = 10 "minicache_read_misses",
        /// Writes that looked into the mini data cache.
        writes = 11 "minicache_writes",
        /// Of these, those that went on to the write buffer.
        write_misses = 12 "minicache_write_misses",
        /// Dirty half lines written back from the mini data cache.
        writebacks = 13 "minicache_writebacks",
    }
    /// The instruction TLB.
    itlb: InsnTlb {
        /// Instruction fetches that looked into the instruction TLB.
        accesses = 14 "itlb_accesses",
        /// Of these, those that walked the page tables.
        misses = 15 "itlb_misses",
        /// Operations that invalidate the whole instruction TLB.
        invalidate_all = 30 "itlb_invalidate_all",
        /// Operations that invalidate one entry of the instruction TLB.
        invalidate_entry = 51 "itlb_invalidate_entry",
    }
    /// The data TLB.
    dtlb: DataTlb {
        /// Data accesses that looked into the data TLB.
        accesses = 16 "dtlb_accesses",
        /// Of these, those that walked the page tables.
        misses = 17 "dtlb_misses",
        /// Operations that invalidate the whole data TLB.
        invalidate_all = 31 "dtlb_invalidate_all",
        /// Operations that invalidate one entry of the data TLB.
        invalidate_entry = 32 "dtlb_invalidate_entry",
    }
    /// Memory, past the caches.
    memory: Memory {
        /// Descriptors read from memory by table walks.
        walk_reads = 18 "table_walk_reads",
        /// Reads that bypass the data caches.
        uncached_reads = 19 "uncached_reads",
        /// Writes that bypass data caches and write buffer.
        uncached_writes = 20 "uncached_writes",
        /// Entries that entered the write buffer.
        buffered_writes = 21 "buffered_writes",
        /// Explicit drains of the write buffer.
        write_buffer_drains = 29 "write_buffer_drains",
        /// Loads of a read-buffer entry.
        read_buffer_loads = 33 "read_buffer_loads",
        /// Data reads served by the read buffer.
        read_buffer_hits = 34 "read_buffer_hits",
    }
    /// Exceptions taken.
    exception: Exceptions {
        /// Undefined-instruction exceptions.
        undefined = 35 "exception_undefined",
        /// Software interrupts.
        swi = 36 "exception_swi",
        /// Interrupts taken.
        irq = 39 "exception_irq",
        /// Fast interrupts taken.
        fiq = 40 "exception_fiq",
    }
    /// Memory aborts (ARM).
    abort: Aborts {
        /// Prefetch aborts taken.
        prefetch = 37 "exception_prefetch_abort",
        /// Data aborts taken.
        data = 38 "exception_data_abort",
    }
    /// Page faults (IA-32).
    page_fault: PageFaults {
        /// Of instruction fetches.
        fetch = 73 "exception_page_fault_fetch",
        /// Of reads and writes.
        data = 74 "exception_page_fault_data",
    }
    /// Accesses that faulted.
    fault: Faults {
        /// Alignment faults.
        alignment = 41 "fault_alignment",
        /// Translation faults.
        translation = 42 "fault_translation",
        /// Domain faults.
        domain = 43 "fault_domain",
        /// Permission faults.
        permission = 44 "fault_permission",
        /// External aborts.
        external = 45 "fault_external",
    }
    /// Registers of the system control coprocessor.
    written: Written {
        /// Writes of the process-ID register.
        pid = 46 "pid_writes",
        /// Writes of the domain access control register.
        dacr = 47 "dacr_writes",
        /// Writes of the translation table base.
        ttb = 48 "ttb_writes",
        /// Writes of the control register.
        control = 49 "control_writes",
    }
    /// The second-level cache (IA-32).
    l2: SecondLevel {
        /// Reads that looked into the second level: loads, fetches and walks.
        reads = 54 "l2_reads",
        /// Of these, those that went to memory.
        read_misses = 55 "l2_read_misses",
        /// Lines of stores that were written into the second level.
        writes = 56 "l2_writes",
        /// Of these, those whose line was read from memory.
        write_misses = 57 "l2_write_misses",
        /// Dirty lines written back.
        writebacks = 58 "l2_writebacks",
    }
    /// Branches (IA-32).
    branch: Branches {
        /// Branches that were to be predicted.
        executed = 59 "branches",
        /// Of these, those that were not.
        mispredicted = 60 "branch_mispredictions",
        /// Branches that went elsewhere than to the next instruction.
        taken = 65 "branches_taken",
        /// Of these, those that were not predicted.
        mispredicted_taken = 66 "branch_mispredictions_taken",
        /// Indirect calls whose target was not predicted.
        mispredicted_calls = 67 "branch_mispredictions_call",
        /// Returns that were not predicted.
        mispredicted_returns = 68 "branch_mispredictions_return",
        /// Indirect jumps whose target was not predicted.
        mispredicted_jumps = 69 "branch_mispredictions_jump",
    }
    /// The trace cache (IA-32).
    trace: Traces {
        /// Lookups of a line.
        lookups = 63 "trace_cache_lookups",
        /// Of these, those for which a line was built.
        misses = 64 "trace_cache_misses",
        /// Cycles in which its lines were built, fetches included.
        build_cycles = 61 "trace_build_cycles",
        /// How often it was emptied.
        emptied = 62 "trace_cache_emptied",
    }
    /// µops (IA-32).
    uop: Uops {
        /// µops that have entered the window.
        entered = 70 "uops",
    }
    /// Ports (IA-32).
    port: Ports {
        /// Reads and writes of ports.
        accesses = 71 "port_accesses",
        /// Cycles that these took, beyond what they waited for.
        cycles = 72 "port_cycles",
    }
}

impl Tally {
    /// The counter of that name.
    ///
    /// # Panics
    /// There is none, which the compiler finds where the name is a constant.
    #[must_use]
    pub const fn counter(name: &str) -> Counter {
        let mut n = 0;
        while n < Self::COUNTERS.len() {
            if same(Self::COUNTERS[n].name, name) {
                return Self::COUNTERS[n];
            }
            n += 1;
        }
        panic!("no counter has this name")
    }

    /// Names and values of these groups and of the counters that an architecture brings, in the order of
    /// the numbers.
    #[must_use]
    pub fn named(&self, groups: &[&str], own: &'static [Counter]) -> Vec<(&'static str, u64)> {
        let counters = Self::COUNTERS.iter();
        let grouped = counters.filter(|c| groups.contains(&c.group));
        let mut counters: Vec<&Counter> = grouped.chain(own).collect();
        counters.sort_unstable_by_key(|counter| counter.number);
        let values = counters.iter().map(|c| (c.name, (c.of)(self)));
        values.collect()
    }

    /// The values, by group.
    pub(super) fn values(&self) -> impl Iterator<Item = u64> + '_ {
        let counters = Self::COUNTERS.iter().map(|counter| (counter.of)(self));
        counters.chain(self.own.0)
    }
}

/// Whether two names are the same, for the compiler.
const fn same(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    let mut n = 0;
    while n < one.len() && n < other.len() && one[n] == other[n] {
        n += 1;
    }
    n == one.len() && n == other.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn each_counter_has_a_number_and_a_name_of_its_own() {
        let every = Tally::COUNTERS;
        let numbers: BTreeSet<u32> = every.iter().map(|counter| counter.number).collect();
        let names: BTreeSet<&str> = every.iter().map(|counter| counter.name).collect();
        assert_eq!((numbers.len(), names.len()), (every.len(), every.len()));
        for counter in every {
            assert_eq!(Tally::counter(counter.name).number, counter.number);
        }
    }

    #[test]
    fn named_values_are_those_of_the_fields() {
        let mut tally = Tally::default();
        tally.run.cycles = 7;
        tally.dtlb.misses = 3;
        tally.run.idle = 5;
        let own = &[Counter {
            number: 1000,
            group: OWN,
            name: "mine",
            of: |tally| tally.own[2],
        }];
        tally.own[2] = 4;
        let named = tally.named(&["run", "dtlb"], own);
        let value = |name| named.iter().find(|(n, _)| *n == name).unwrap().1;
        assert_eq!(named[0], ("cycles", 7));
        assert_eq!((value("dtlb_misses"), value("idle_cycles")), (3, 5));
        assert_eq!(named.last(), Some(&("mine", 4)));
        assert_eq!(tally.values().sum::<u64>(), 19);
        let mut twice = tally;
        twice += tally;
        assert_eq!((twice - tally, twice.own[2]), (tally, 8));
        assert!(named.iter().all(|(name, _)| *name != "itlb_misses"));
    }
}
