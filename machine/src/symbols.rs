// SPDX-License-Identifier: Apache-2.0
//! Functions by address, from the symbol tables of ELF files: what people call the places that a
//! trace or a log shows.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use object::read::elf::{ElfFile, ElfFile32, ElfFile64, FileHeader};
use object::{LittleEndian, Object, ObjectSymbol, SectionIndex, SymbolKind, SymbolSection};

use crate::error::{read_file, Error, MOST_ELF};
use crate::lines::Lines;

const AN_ELF_FILE: &str = "a little-endian ELF file with symbols";

/// A function.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Function {
    start: u64,
    /// The address after it; up to the next function if the file does not say.
    end: u64,
    name: String,
}

/// The functions of some files. Where files overlap, those of the first are found.
#[derive(Debug, Clone, Default)]
pub struct Symbols {
    /// One list a file, by address.
    files: Vec<Vec<Function>>,
    /// The files, for their lines.
    bytes: Vec<Arc<[u8]>>,
}

impl Symbols {
    /// None.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds those of `file`.
    ///
    /// # Errors
    /// It is no such ELF file, or has no functions.
    pub fn add(&mut self, file: &Path) -> Result<(), Error> {
        let unfit = |what: &str| Error::Image {
            file: file.to_path_buf(),
            what: what.to_string(),
            expected: AN_ELF_FILE.to_string(),
        };
        let bytes = read_file(file, AN_ELF_FILE, MOST_ELF)?;
        let functions = functions(&bytes).ok_or_else(|| unfit("is no such ELF file"))?;
        if functions.is_empty() {
            return Err(unfit("has no symbols of functions"));
        }
        self.files.push(functions);
        self.bytes.push(bytes.into());
        Ok(())
    }

    /// Adds those of an image that may have none.
    pub fn add_if_any(&mut self, file: &Path) {
        let bytes = read_file(file, AN_ELF_FILE, MOST_ELF).unwrap_or_default();
        self.files.extend(functions(&bytes));
        self.bytes.push(bytes.into());
    }

    /// Which lines of source these files were compiled from.
    #[must_use]
    pub fn lines(&self) -> Lines {
        Lines::of(self.bytes.iter().map(|bytes| &**bytes))
    }

    /// The name of the function that `address` lies in, and how far from its start.
    #[must_use]
    pub fn find(&self, address: u64) -> Option<(&str, u64)> {
        self.files.iter().find_map(|functions| {
            let behind = functions.partition_point(|f| f.start <= address);
            let function = &functions[behind.checked_sub(1)?];
            (address < function.end).then(|| (function.name.as_str(), address - function.start))
        })
    }

    /// What [`Symbols::find`] says, if there is one, and the addresses around it for which that is the answer.
    #[must_use]
    pub fn around(&self, address: u64) -> (Option<&str>, Range<u64>) {
        let mut range = 0..u64::MAX;
        for functions in &self.files {
            let behind = functions.partition_point(|f| f.start <= address);
            if let Some(next) = functions.get(behind) {
                range.end = range.end.min(next.start);
            }
            let Some(function) = behind.checked_sub(1).map(|at| &functions[at]) else {
                continue;
            };
            if address < function.end {
                range = range.start.max(function.start)..range.end.min(function.end);
                return (Some(&function.name), range);
            }
            range.start = range.start.max(function.end);
        }
        (None, range)
    }

    /// Where the function of that name begins; of several the first file's.
    #[must_use]
    pub fn address(&self, name: &str) -> Option<u64> {
        let mut functions = self.files.iter().flatten();
        functions.find(|f| f.name == name).map(|f| f.start)
    }
}

/// The value of the symbol called `name` of an ELF file, whatever it is of; none if there is no such.
#[must_use]
pub fn symbol_address(image: &[u8], name: &str) -> Option<u64> {
    fn of<H: FileHeader>(elf: &ElfFile<H>, name: &str) -> Option<u64> {
        let symbol = elf.symbol_by_name(name)?;
        (!symbol.is_undefined()).then(|| symbol.address())
    }
    match ElfFile64::<LittleEndian>::parse(image) {
        Ok(elf) => of(&elf, name),
        Err(_) => of(&ElfFile32::<LittleEndian>::parse(image).ok()?, name),
    }
}

/// The functions of an ELF file, sorted; `None` if it is none.
fn functions(bytes: &[u8]) -> Option<Vec<Function>> {
    if let Ok(elf) = ElfFile64::<LittleEndian>::parse(bytes) {
        return Some(functions_of(&elf));
    }
    let elf = ElfFile32::<LittleEndian>::parse(bytes).ok()?;
    Some(functions_of(&elf))
}

fn functions_of<H: FileHeader>(elf: &ElfFile<H>) -> Vec<Function> {
    let code: Vec<SectionIndex> = object::Object::sections(elf)
        .filter(|s| object::ObjectSection::kind(s) == object::SectionKind::Text)
        .map(|s| object::ObjectSection::index(&s))
        .collect();
    let mut found: Vec<Function> = elf
        .symbols()
        .filter_map(|symbol| {
            let SymbolSection::Section(section) = symbol.section() else {
                return None;
            };
            let name = symbol.name().ok()?;
            // Assembly's labels have no type; `$a` and the like mark kinds of contents.
            let labels = matches!(symbol.kind(), SymbolKind::Text | SymbolKind::Unknown);
            let local = name.is_empty() || name.starts_with(['$', '.']);
            (labels && !local && code.contains(&section)).then(|| {
                let start = symbol.address() & !1; // bit 0: Thumb
                Function {
                    start,
                    end: start.saturating_add(symbol.size()),
                    name: name.to_string(),
                }
            })
        })
        .collect();
    // At one address the one with a size, which is the function's own name, comes last and is found.
    found.sort_by(|a, b| (a.start, a.end, &b.name).cmp(&(b.start, b.end, &a.name)));
    let starts: Vec<u64> = found.iter().map(|f| f.start).collect();
    for function in &mut found {
        if function.end == function.start {
            let next = starts[starts.partition_point(|&s| s <= function.start)..].first();
            function.end = next.copied().unwrap_or(function.start | 0xfff);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn function(start: u64, end: u64, name: &str) -> Function {
        let name = name.to_string();
        Function { start, end, name }
    }

    #[test]
    fn addresses_are_found_in_the_first_file_that_has_them() {
        let symbols = Symbols {
            files: vec![
                vec![function(0x100, 0x110, "a"), function(0x120, 0x140, "b")],
                vec![function(0x0, 0x1000, "all")],
            ],
            bytes: Vec::new(),
        };
        assert_eq!(symbols.find(0x100), Some(("a", 0)));
        assert_eq!(symbols.find(0x13f), Some(("b", 0x1f)));
        assert_eq!(symbols.find(0x118), Some(("all", 0x118)));
        assert_eq!(symbols.find(0x1000), None);
        assert_eq!(symbols.address("b"), Some(0x120));
        assert_eq!(symbols.address("c"), None);
        assert_eq!(Symbols::new().find(0), None);
    }

    #[test]
    fn a_range_has_one_answer() {
        let symbols = Symbols {
            files: vec![
                vec![function(0x100, 0x110, "a"), function(0x120, 0x140, "b")],
                vec![
                    function(0x80, 0x1000, "all"),
                    function(0x138, 0x150, "late"),
                ],
            ],
            bytes: Vec::new(),
        };
        for address in 0..0x2000 {
            let (name, range) = symbols.around(address);
            assert!(range.contains(&address), "{address:#x}: {range:x?}");
            assert_eq!(name, symbols.find(address).map(|(name, _)| name));
            for end in [range.start, range.end - 1] {
                let there = symbols.find(end).map(|(name, _)| name);
                assert_eq!(there, name, "{address:#x} and {end:#x}");
            }
        }
        assert_eq!(symbols.around(0x118), (Some("all"), 0x110..0x120));
    }

    #[test]
    fn what_is_no_elf_file_has_none() {
        assert_eq!(functions(b"\x7fELF"), None);
        assert_eq!(functions(b""), None);
    }
}
