// SPDX-License-Identifier: Apache-2.0
//! Files for the tests of the loaders.

use std::path::PathBuf;

/// A file of the test's own, removed when it goes.
pub(crate) struct File(pub PathBuf);

impl File {
    /// One with these contents; no other test of this process has one of that name.
    pub(crate) fn new(name: &str, data: &[u8]) -> Self {
        let path = std::env::temp_dir().join(format!("loader-{}-{name}", std::process::id()));
        std::fs::write(&path, data).unwrap();
        Self(path)
    }
}

impl Drop for File {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}
