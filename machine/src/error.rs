// SPDX-License-Identifier: Apache-2.0
//! What can be wrong with what the user gives. Each error prints as one line that names the file
//! (or the argument), what is wrong with it and what was expected; `main.rs` puts the program's
//! name before it and exits with status 2.

use std::fs::File;
use std::io::{self, Read};
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

/// Most bytes of a file that is not loaded as a whole: an ELF file with what debuggers want.
pub const MOST_ELF: u64 = 1 << 30;

/// Reads a whole file of `most` bytes, or says in one line why not.
///
/// # Errors
/// [`Error::Unreadable`] for a file that is not there, is a directory or may not be read,
/// [`Error::Image`] for one that is too large, even if it never ends.
pub fn read_file(file: &Path, expected: &'static str, most: u64) -> Result<Vec<u8>, Error> {
    read_some(file, expected, |_| most)
}

/// [`read_file`], where the first four bytes decide how many there may be.
///
/// # Errors
/// As [`read_file`].
pub fn read_some(
    file: &Path,
    expected: &'static str,
    most: impl FnOnce(&[u8]) -> u64,
) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    let read = || {
        let mut opened = File::open(file)?;
        opened.by_ref().take(4).read_to_end(&mut bytes)?;
        let most = most(&bytes);
        let found = opened.metadata()?;
        // a pipe or a device does not know how much will come
        let mut large = found.is_file() && found.len() > most;
        if !large {
            let rest = (most + 1).saturating_sub(bytes.len() as u64);
            opened.take(rest).read_to_end(&mut bytes)?;
            large = bytes.len() as u64 > most;
        }
        Ok(large.then_some(most))
    };
    match read() {
        Ok(None) => Ok(bytes),
        Ok(Some(most)) => Err(Error::Image {
            file: file.to_path_buf(),
            what: format!("has more than {most} bytes"),
            expected: expected.to_string(),
        }),
        Err(source) => Err(Error::Unreadable {
            file: file.to_path_buf(),
            source,
            expected,
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_file_and_directory_are_named_in_one_line() {
        let missing = read_file(Path::new("/nowhere/k.elf"), "an image", 9).unwrap_err();
        assert_eq!(
            missing.to_string(),
            "/nowhere/k.elf: cannot be read: No such file or directory; expected an image"
        );
        let directory = read_file(Path::new("/"), "an image", 9).unwrap_err();
        assert_eq!(
            directory.to_string(),
            "/: cannot be read: Is a directory; expected an image"
        );
    }

    #[test]
    fn no_more_is_read_than_can_be_used() {
        let endless = read_file(Path::new("/dev/zero"), "an image", 9).unwrap_err();
        assert_eq!(
            endless.to_string(),
            "/dev/zero: has more than 9 bytes; expected an image"
        );
        let head = read_some(Path::new("/dev/zero"), "an image", |head| {
            assert_eq!(head, [0; 4]);
            3
        });
        assert!(head.unwrap_err().to_string().contains("more than 3 bytes"));
        let own = Path::new(file!()).file_name().unwrap();
        let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(own);
        let size = std::fs::metadata(&own).unwrap().len();
        assert_eq!(read_file(&own, "text", size).unwrap().len() as u64, size);
        assert!(read_file(&own, "text", size - 1).is_err());
    }
}
