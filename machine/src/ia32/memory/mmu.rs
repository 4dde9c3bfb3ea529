// SPDX-License-Identifier: Apache-2.0
//! Paging (SDM vol. 3, 3.6 to 3.11 of the Pentium 4's edition): the formats of two-level tables, and
//! who may do what. The memory system does the walk.

use crate::ia32::memory::tlb::TlbEntry;

/// Bits of directory and table entries.
pub mod entry {
    /// Present.
    pub const P: u32 = 1 << 0;
    /// Can be written.
    pub const RW: u32 = 1 << 1;
    /// User mode may access it.
    pub const US: u32 = 1 << 2;
    /// Accessed.
    pub const A: u32 = 1 << 5;
    /// Dirty.
    pub const D: u32 = 1 << 6;
    /// A directory entry that is a 4 MB page.
    pub const PS: u32 = 1 << 7;
    /// Global.
    pub const G: u32 = 1 << 8;
    /// Of a 4 MB page, reserved: the processor reports no PSE-36.
    pub const RESERVED_4MB: u32 = 0x003f_e000;
}

/// Bits of a page fault's error code.
pub mod code {
    /// The page was present; its protection forbade the access.
    pub const PROTECTION: u16 = 1 << 0;
    /// The access was a write.
    pub const WRITE: u16 = 1 << 1;
    /// It came from user mode.
    pub const USER: u16 = 1 << 2;
    /// A reserved bit was set in an entry.
    pub const RESERVED: u16 = 1 << 3;
}

/// An access to a linear address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Access {
    /// It writes.
    pub write: bool,
    /// It is made with the rights of user mode: privilege level 3.
    pub user: bool,
    /// It fetches an instruction.
    pub fetch: bool,
}

impl Access {
    /// A read or write by the processor itself, of a descriptor or a TSS.
    #[must_use]
    pub const fn system(write: bool) -> Self {
        Self {
            write,
            user: false,
            fetch: false,
        }
    }

    /// The bits of an error code that say what the access was.
    #[must_use]
    pub fn code(self) -> u16 {
        let write = if self.write { code::WRITE } else { 0 };
        let user = if self.user { code::USER } else { 0 };
        write | user
    }
}

/// The physical address of the directory entry of `linear`.
#[must_use]
pub fn directory_entry(cr3: u32, linear: u32) -> u32 {
    cr3 & 0xffff_f000 | linear >> 20 & 0xffc
}

/// The physical address of the table entry of `linear`, where the directory has `pde`.
#[must_use]
pub fn table_entry(pde: u32, linear: u32) -> u32 {
    pde & 0xffff_f000 | linear >> 10 & 0xffc
}

/// What a directory entry that is a 4 MB page translates.
#[must_use]
pub fn large_page(pde: u32, linear: u32, global_pages: bool) -> TlbEntry {
    TlbEntry {
        linear: linear & 0xffc0_0000,
        mask: 0xffc0_0000,
        pa: pde & 0xffc0_0000,
        user: pde & entry::US != 0,
        writable: pde & entry::RW != 0,
        dirty: pde & entry::D != 0,
        global: global_pages && pde & entry::G != 0,
    }
}

/// What a directory entry and the table entry that it leads to translate: both levels must agree to
/// an access.
#[must_use]
pub fn small_page(pde: u32, pte: u32, linear: u32, global_pages: bool) -> TlbEntry {
    let both = pde & pte;
    TlbEntry {
        linear: linear & 0xffff_f000,
        mask: 0xffff_f000,
        pa: pte & 0xffff_f000,
        user: both & entry::US != 0,
        writable: both & entry::RW != 0,
        dirty: pte & entry::D != 0,
        global: global_pages && pte & entry::G != 0,
    }
}

/// Whether a page lets an access through (SDM vol. 3, table 4-3). Above user mode everything can be
/// read, and written unless CR0.WP is set.
#[inline(always)]
#[must_use]
pub fn allows(page: &TlbEntry, access: Access, write_protect: bool) -> bool {
    let user = !access.user || page.user;
    let write = !access.write || page.writable || !(access.user || write_protect);
    user && write
}
