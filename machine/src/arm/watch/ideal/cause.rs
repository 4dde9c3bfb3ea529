// SPDX-License-Identifier: Apache-2.0
//! The ways in which a processor with virtually tagged caches and an untagged TLB can do something
//! else than the ideal machine.

/// What was forgotten.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Cause {
    // The address is translated otherwise.
    /// The TLB holds an entry that the page tables no longer have.
    StaleTranslation,
    /// The table walk read memory while the data cache had a newer descriptor.
    DescriptorNotCleaned,
    /// The table walk read memory while a newer descriptor was in the write buffer.
    DescriptorNotDrained,
    /// The walk read a descriptor that had been lost on its way to memory.
    DescriptorLost,

    // A user access that only went through by what belongs to another space.
    /// The TLB holds an entry that was made for another space.
    ForeignTranslation,
    /// The page tables have an entry of another space, whose domain is open.
    ForeignDomain,
    /// A user access that only a manager domain allows.
    DomainOpen,
    /// The slot's own address, of a page that is also used below 32 MB.
    SlotAlias,

    // Another instruction is executed.
    /// The instruction line was filled before its code was changed.
    StaleInstruction,
    /// The instruction line belongs to another physical address: the page was remapped.
    InstructionHomonym,
    /// The instruction was read from memory while the data cache had the newer code.
    CodeNotCleaned,
    /// The instruction was read from memory while the newer code was in the write buffer.
    CodeNotDrained,

    // A load or store hits a line, or an entry of the read buffer, that is not the right one.
    /// The line belongs to another physical address: the page was remapped.
    Homonym,
    /// A store hit such a line: what it wrote goes to another frame.
    HomonymStore,
    /// Another line holds newer data of the same physical address.
    Synonym,
    /// The line is older than memory, to which another line of its frame was written back.
    StaleSynonym,
    /// The line is older than memory, which was written past it.
    StaleLine,
    /// The read buffer holds what memory had before it was written.
    StaleReadBuffer,
    /// The read buffer was loaded from memory while a line or the write buffer held newer data.
    ReadBufferTooEarly,

    // Memory does not hold the newest data.
    /// Memory was read past the caches while a line held newer data.
    NotCleaned,
    /// A dirty line was invalidated, and nothing else held its data.
    LostData,
    /// A line was written back over newer memory.
    Overwritten,
    /// A line was written back over newer memory after its address had been taken from the frame.
    LateWriteBack,
    /// The newest store hit a line of another frame.
    Misplaced,
    /// The newest store went to another frame by a wrong translation.
    Astray,
    /// A store came here that belonged elsewhere, by a wrong translation.
    Trampled,
    /// None of these.
    Unexplained,
}

impl Cause {
    /// The name in reports, and what it says.
    fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::StaleTranslation => (
                "stale-translation",
                "TLB entry not invalidated after its descriptor changed",
            ),
            Self::DescriptorNotCleaned => (
                "descriptor-not-cleaned",
                "table walk past a dirty line with the newer descriptor",
            ),
            Self::DescriptorNotDrained => (
                "descriptor-not-drained",
                "table walk while the newer descriptor was in the write buffer",
            ),
            Self::DescriptorLost => (
                "descriptor-lost",
                "table walk through a descriptor whose last change never got to memory",
            ),
            Self::ForeignTranslation => (
                "foreign-translation",
                "user access through a TLB entry of another space",
            ),
            Self::ForeignDomain => (
                "foreign-domain",
                "user access to another space, whose domain is open",
            ),
            Self::DomainOpen => (
                "domain-open",
                "user access allowed only by a manager domain",
            ),
            Self::SlotAlias => (
                "slot-alias",
                "user access at the slot's address of memory that is also used below 32 MB",
            ),
            Self::StaleInstruction => (
                "stale-instruction",
                "instruction cache not invalidated after code changed",
            ),
            Self::InstructionHomonym => (
                "instruction-homonym",
                "instruction line of another frame, not invalidated when its address was remapped",
            ),
            Self::CodeNotCleaned => (
                "code-not-cleaned",
                "instruction read from memory past a dirty line with the newer code",
            ),
            Self::CodeNotDrained => (
                "code-not-drained",
                "instruction read from memory while the newer code was in the write buffer",
            ),
            Self::Homonym => (
                "homonym",
                "load hit a line of another frame, not invalidated when its address was remapped",
            ),
            Self::HomonymStore => (
                "homonym-store",
                "store hit a line of another frame, not invalidated when its address was remapped",
            ),
            Self::Synonym => (
                "synonym",
                "same memory at two addresses, the other line is newer",
            ),
            Self::StaleSynonym => (
                "stale-synonym",
                "same memory at two addresses, line not invalidated after the other was written back",
            ),
            Self::StaleLine => (
                "stale-line",
                "data cache line not invalidated after memory was written past it",
            ),
            Self::StaleReadBuffer => (
                "stale-read-buffer",
                "read buffer entry not flushed after memory changed",
            ),
            Self::ReadBufferTooEarly => (
                "read-buffer-too-early",
                "read buffer loaded past a dirty line or the write buffer",
            ),
            Self::NotCleaned => ("not-cleaned", "memory read past a dirty line"),
            Self::LostData => ("lost-data", "dirty line invalidated without cleaning"),
            Self::Overwritten => (
                "overwritten",
                "newer memory overwritten by the write-back of a line",
            ),
            Self::LateWriteBack => (
                "late-write-back",
                "newer memory overwritten by the write-back of a line whose address maps there no more",
            ),
            Self::Misplaced => ("misplaced", "the last store hit a line of another frame"),
            Self::Astray => (
                "astray",
                "the last store went to another frame by a wrong translation",
            ),
            Self::Trampled => (
                "trampled",
                "a store meant for another frame came here by a wrong translation",
            ),
            Self::Unexplained => (
                "unexplained",
                "older data, and nothing that was seen tells why",
            ),
        }
    }

    /// The name in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.words().0
    }

    /// What it says, for people.
    #[must_use]
    pub fn explanation(self) -> &'static str {
        self.words().1
    }
}
