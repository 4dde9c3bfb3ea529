// SPDX-License-Identifier: Apache-2.0
//! What can be wrong with what the user gives. Each error prints as one line that names the file
//! (or the argument), what is wrong with it and what was expected; `main.rs` puts the program's
//! name before it and exits with status 2.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

/// A mistake in the arguments or in a file that they name.
#[derive(Debug, Error)]
pub enum Error {
    /// The file cannot be read at all.
    #[error("{}: cannot be read: {}; expected {expected}", file.display(), plain(source))]
    Unreadable {
        /// The file.
        file: PathBuf,
        /// What the host says.
        source: io::Error,
        /// What it should have been.
        expected: &'static str,
    },
    /// The file cannot be written.
    #[error("{}: cannot be written: {}; expected a file that can be created", file.display(), plain(source))]
    Unwritable {
        /// The file.
        file: PathBuf,
        /// What the host says.
        source: io::Error,
    },
    /// The name after `--machine` is neither that of a built-in machine nor that of a machine file.
    #[error("--machine {name}: no such machine; expected {known} or a file that ends in .toml")]
    UnknownMachine {
        /// What the user said.
        name: String,
        /// The built-in machines.
        known: String,
    },
    /// A machine file says something impossible.
    #[error("{}: {place}: {what}; expected {expected}", file.display())]
    Machine {
        /// The machine file.
        file: PathBuf,
        /// The field, as `icache.size-bytes`, with the line where it is known.
        place: String,
        /// What is wrong.
        what: String,
        /// What it should have been.
        expected: String,
    },
    /// An image (kernel, initial RAM disk) or another input cannot be used.
    #[error("{}: {what}; expected {expected}", file.display())]
    Image {
        /// The image.
        file: PathBuf,
        /// What is wrong.
        what: String,
        /// What it should have been.
        expected: String,
    },
    /// An argument other than a file is out of range.
    #[error("{argument}: {what}; expected {expected}")]
    Argument {
        /// The argument, as `--append`.
        argument: &'static str,
        /// What is wrong.
        what: String,
        /// What it should have been.
        expected: String,
    },
}

/// The host's message without Rust's "(os error 2)".
fn plain(error: &io::Error) -> String {
    let text = error.to_string();
    match text.find(" (os error") {
        Some(end) => text[..end].to_string(),
        None => text,
    }
}

/// Reads a whole file, or says in one line why not.
///
/// # Errors
/// [`Error::Unreadable`] for a file that is not there, is a directory or may not be read.
pub fn read_file(file: &Path, expected: &'static str) -> Result<Vec<u8>, Error> {
    std::fs::read(file).map_err(|source| Error::Unreadable {
        file: file.to_path_buf(),
        source,
        expected,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_file_and_directory_are_named_in_one_line() {
        let missing = read_file(Path::new("/nowhere/k.elf"), "an image").unwrap_err();
        assert_eq!(
            missing.to_string(),
            "/nowhere/k.elf: cannot be read: No such file or directory; expected an image"
        );
        let directory = read_file(Path::new("/"), "an image").unwrap_err();
        assert_eq!(
            directory.to_string(),
            "/: cannot be read: Is a directory; expected an image"
        );
    }
}
