// SPDX-License-Identifier: Apache-2.0
//! Levels of privilege (II 1.2), by their numbers.

use serde::{Deserialize, Serialize};

/// A level of privilege.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Privilege {
    /// User mode.
    User = 0,
    /// Supervisor mode.
    Supervisor = 1,
    /// Machine mode.
    Machine = 3,
}

impl Privilege {
    /// The level of that number, if there is one.
    #[must_use]
    pub fn of(number: u64) -> Option<Self> {
        match number {
            0 => Some(Self::User),
            1 => Some(Self::Supervisor),
            3 => Some(Self::Machine),
            _ => None,
        }
    }

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Supervisor => "supervisor",
            Self::Machine => "machine",
        }
    }
}
