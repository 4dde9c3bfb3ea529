// SPDX-License-Identifier: Apache-2.0
//! Accesses that fault.

use crate::riscv::isa::cause::Exception;

/// An access, fetch or instruction that faulted; [`Fault`] says how.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Abort;

/// What a fault was about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fault {
    /// The exception.
    pub exception: Exception,
    /// What `mtval` or `stval` says of it.
    pub value: u64,
}

/// What an access is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Instructions.
    Fetch,
    /// A load, or LR.
    Load,
    /// A store, SC or an AMO.
    Store,
}

impl Access {
    /// The exception of an access that no translation allows.
    #[must_use]
    pub fn page_fault(self) -> Exception {
        match self {
            Self::Fetch => Exception::FetchPage,
            Self::Load => Exception::LoadPage,
            Self::Store => Exception::StorePage,
        }
    }

    /// The exception of an access to physical memory that is not there or protected.
    #[must_use]
    pub fn access_fault(self) -> Exception {
        match self {
            Self::Fetch => Exception::FetchAccess,
            Self::Load => Exception::LoadAccess,
            Self::Store => Exception::StoreAccess,
        }
    }

    /// The bit that this access needs, as bits 2:0 of a PMP configuration have it: R, W, X.
    #[must_use]
    pub fn right(self) -> u8 {
        match self {
            Self::Load => 1,
            Self::Store => 2,
            Self::Fetch => 4,
        }
    }
}
