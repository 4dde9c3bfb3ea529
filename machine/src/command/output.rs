// SPDX-License-Identifier: Apache-2.0
//! The files that a run writes. Each is written beside its place and gets there when it is whole:
//! a run that is killed, and one that cannot write, leave what was there before. What is no regular
//! file (`/dev/null`, a pipe) is written as it is.
//!
//! A log or timeline grows in its own place if nothing was there, so that it can be followed.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::error::Error;

/// A file that will be written at the end of the run.
pub struct Output {
    name: PathBuf,
    place: Place,
}

enum Place {
    Stdout,
    /// No regular file.
    Direct(File),
    Beside(Beside),
}

/// A file that becomes another one.
struct Beside {
    temporary: PathBuf,
    target: PathBuf,
}

impl Output {
    /// Makes sure that `file` can be written, so that a long run does not end in one that cannot.
    pub fn new(file: &Path) -> Result<Self, String> {
        let name = file.to_path_buf();
        let wrong = |error| cannot_write(file, error);
        let place = if is_special(file) {
            Place::Direct(OpenOptions::new().write(true).open(file).map_err(wrong)?)
        } else {
            let beside = Beside::of(file).map_err(wrong)?;
            beside.create().map_err(wrong)?;
            let _ = fs::remove_file(&beside.temporary);
            Place::Beside(beside)
        };
        Ok(Self { name, place })
    }

    /// Opens `file` likewise, where `-` is standard output.
    pub fn or_stdout(file: &Path) -> Result<Self, String> {
        if file == Path::new("-") {
            let name = PathBuf::from("standard output");
            let place = Place::Stdout;
            return Ok(Self { name, place });
        }
        Self::new(file)
    }

    /// Writes what `write` does, and puts it into its place.
    pub fn write(self, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), String> {
        let done = match &self.place {
            Place::Stdout => {
                let mut out = io::stdout().lock();
                write(&mut out).and_then(|()| out.flush())
            }
            Place::Direct(file) => whole(file, write),
            Place::Beside(beside) => beside.create().and_then(|file| {
                let written = whole(&file, write);
                beside.settle(written)
            }),
        };
        done.map_err(|error| cannot_write(&self.name, error))
    }
}

fn whole(file: &File, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let mut out = BufWriter::new(file);
    write(&mut out)?;
    out.flush()
}

/// A file that is written while the run goes on; [`Stream::finish`] puts it into its place.
pub struct Stream {
    name: PathBuf,
    beside: Option<Beside>,
}

impl Stream {
    /// The file's name for the end, and where to write to.
    pub fn new(file: &Path) -> Result<(Self, BufWriter<File>), String> {
        let name = file.to_path_buf();
        let there = fs::metadata(file).is_ok_and(|found| found.is_file());
        let opened = if there {
            Beside::of(file).and_then(|beside| Ok((beside.create()?, Some(beside))))
        } else {
            File::create(file).map(|created| (created, None))
        };
        let (out, beside) = opened.map_err(|error| cannot_write(file, error))?;
        Ok((Self { name, beside }, BufWriter::new(out)))
    }

    /// What was `written`, well or not, is the end.
    pub fn finish(&self, written: io::Result<()>) -> Result<(), String> {
        let done = match &self.beside {
            Some(beside) => beside.settle(written),
            None => written,
        };
        done.map_err(|error| cannot_write(&self.name, error))
    }
}

impl Beside {
    /// After links, and named for this process, so that two runs do not write one file.
    fn of(file: &Path) -> io::Result<Self> {
        let target = match fs::canonicalize(file) {
            Ok(target) => target,
            Err(error) if error.kind() == io::ErrorKind::NotFound => file.to_path_buf(),
            Err(error) => return Err(error),
        };
        // an old file that may not be written is not to be replaced
        if target.exists() {
            OpenOptions::new().write(true).open(&target)?;
        }
        let name = target.file_name().unwrap_or_default().to_string_lossy();
        let beside = format!(".{name}.{}.new", std::process::id());
        let temporary = target.with_file_name(beside);
        Ok(Self { temporary, target })
    }

    fn create(&self) -> io::Result<File> {
        File::create(&self.temporary)
    }

    fn settle(&self, written: io::Result<()>) -> io::Result<()> {
        let settled = written.and_then(|()| fs::rename(&self.temporary, &self.target));
        if settled.is_err() {
            let _ = fs::remove_file(&self.temporary);
        }
        settled
    }
}

impl Drop for Beside {
    /// A run that is refused leaves nothing; what has settled is not there any more.
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.temporary);
    }
}

fn is_special(file: &Path) -> bool {
    fs::metadata(file).is_ok_and(|found| !found.is_file() && !found.is_dir())
}

fn cannot_write(file: &Path, source: io::Error) -> String {
    let file = file.to_path_buf();
    Error::Unwritable { file, source }.to_string()
}

/// Sees to it that no file is written twice, or written and read: `files` are options with theirs,
/// the written ones first, of which there are `written`. A saved machine may go on in its own file:
/// it is read whole before it is written.
pub fn all_different(files: &[(&str, &Path)], written: usize) -> Result<(), String> {
    for (n, (option, file)) in files.iter().enumerate().take(written) {
        for (other, theirs) in &files[n + 1..] {
            let goes_on = *option == "--save" && *other == "--restore";
            if !goes_on && same(file, theirs) {
                let file = file.display();
                let expected = "expected a file for each";
                return Err(format!(
                    "{option} {file}: is the file of {other} as well; {expected}"
                ));
            }
        }
    }
    Ok(())
}

/// Whether two names are one file's, by links or another way; `/dev/null` is for all.
fn same(a: &Path, b: &Path) -> bool {
    if is_special(a) || is_special(b) {
        return false;
    }
    place(a) == place(b)
}

/// What a name leads to: the inode, or for what is not there yet, its folder and name.
fn place(file: &Path) -> (Option<(u64, u64)>, PathBuf) {
    use std::os::unix::fs::MetadataExt;
    if let Ok(found) = fs::metadata(file) {
        return (Some((found.dev(), found.ino())), PathBuf::new());
    }
    let folder = file.parent().filter(|p| !p.as_os_str().is_empty());
    let folder = fs::canonicalize(folder.unwrap_or(Path::new("."))).unwrap_or_default();
    (None, folder.join(file.file_name().unwrap_or_default()))
}

/// Prints what a command answers. That nobody reads it is no failure.
pub fn print(text: &[u8]) -> Result<(), String> {
    let mut out = io::stdout().lock();
    match out.write_all(text).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(cannot_write(Path::new("standard output"), error))
        }
        _ => Ok(()),
    }
}
