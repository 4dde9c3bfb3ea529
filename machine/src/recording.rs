// SPDX-License-Identifier: Apache-2.0
//! What came from outside in a run, with the cycles at which it came (`--record`, `--replay`): a machine
//! that begins alike and is given the same at the same cycles runs alike, to the cycle.
//!
//! A file is text, which people may read and cut: a line on what was recorded of which beginning, one
//! for each input, one for the end.
//!
//! ```text
//! switchyard-input 1
//! machine versatilepb 5f0a4cbb2d9a3c11      (the name, and a hash of the machine file)
//! begins 0 91c20f6d55aa7e02                 (the cycle, and a hash of what was loaded or restored)
//! mac 02:53:59:42:00:01
//! console uart0
//! 0 cable plugged
//! 1200000 typed "ls\r"
//! 1300000 asleep frame ffffffffffff025359...
//! 1300000 asleep arrived
//! 1400000 key ctrl pressed
//! ends 2400000 left                         (or max-cycles, itself, hung "TEXT", unexpected "TEXT")
//! ```
//!
//! Whoever reads it may be given any bytes.

use std::fmt::Write as _;

use crate::dev::keyboard::Key;
use crate::dev::network::Mac;
use crate::dev::Input;
use crate::event::Cycle;
use crate::script::quoted;
use crate::state::plausible;

/// The first line.
const MARK: &str = "switchyard-input 1";
/// Most bytes of a file that is read.
pub const MOST: u64 = 1 << 30;
/// Longest frame, which is that of `net`.
const LONGEST_FRAME: usize = 65536 + 64;

/// What was expected of a file that is none.
pub const A_RECORDING: &str = "what --record has written";

/// An input, and when it came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Timed {
    /// The cycle: the first moment between two instructions that is not before it,
    pub cycle: Cycle,
    /// at which the processor sleeps, if it did.
    pub asleep: bool,
    /// What came.
    pub input: Input,
}

/// How a recorded run ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum How {
    /// The person at the console left it.
    Left,
    /// By `--max-cycles`, or because nobody listened any more.
    Budget,
    /// The guest waited for what could not come; says where.
    Hung(String),
    /// The guest ended it, or died.
    Itself,
    /// A script did not get what it expected; says what.
    Unexpected(String),
}

/// What a run begins with, and who it is for: a recording fits equal ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Beginning {
    /// The machine's name.
    pub machine: String,
    /// A hash of its machine file.
    pub described: u64,
    /// The cycle.
    pub cycle: Cycle,
    /// A hash of what was loaded, or of the saved machine that it goes on from.
    pub loaded: u64,
}

/// A recording, whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recording {
    /// Where it begins.
    pub beginning: Beginning,
    /// The address of the network interface.
    pub mac: Mac,
    /// The serial port that was the console.
    pub console: String,
    /// In the order in which they came.
    pub inputs: Vec<Timed>,
    /// When it ended.
    pub end: Cycle,
    /// How it ended.
    pub how: How,
}

impl Recording {
    /// Reads one.
    ///
    /// # Errors
    /// What is wrong with it, by its line.
    pub fn parse(text: &[u8]) -> Result<Self, String> {
        let damaged = |number: usize| format!("line {}: is damaged", number + 1);
        let text = std::str::from_utf8(text).map_err(|_| "is no text".to_string())?;
        let mut lines = text.lines().enumerate();
        match lines.next() {
            Some((_, MARK)) => {}
            Some((_, line)) if line.starts_with("switchyard-input ") => {
                let version = &line["switchyard-input ".len()..];
                let version: String = version.chars().take(20).collect();
                return Err(format!("was recorded in format {version}, not 1"));
            }
            _ => return Err("is no recording".to_string()),
        }
        let mut field = |name: &str| -> Result<(usize, &str), String> {
            let (number, line) = lines.next().ok_or("is cut short")?;
            let rest = line.strip_prefix(name).and_then(|l| l.strip_prefix(' '));
            rest.map(|rest| (number, rest)).ok_or(damaged(number))
        };
        let (number, line) = field("machine")?;
        let (machine, described) = line.rsplit_once(' ').ok_or(damaged(number))?;
        let described = hash_of(described).ok_or(damaged(number))?;
        let (number, line) = field("begins")?;
        let (cycle, loaded) = line.split_once(' ').ok_or(damaged(number))?;
        let beginning = Beginning {
            machine: machine.to_string(),
            described,
            cycle: cycle_of(cycle).ok_or(damaged(number))?,
            loaded: hash_of(loaded).ok_or(damaged(number))?,
        };
        let (number, line) = field("mac")?;
        let mac = line.parse().map_err(|_| damaged(number))?;
        let (_, console) = field("console")?;
        let console = console.to_string();
        let mut inputs: Vec<Timed> = Vec::new();
        let mut now = beginning.cycle;
        for (number, line) in lines.by_ref() {
            let ended = line.strip_prefix("ends ");
            let (cycle, rest) = ended
                .unwrap_or(line)
                .split_once(' ')
                .ok_or(damaged(number))?;
            let cycle = cycle_of(cycle).filter(|cycle| *cycle >= now);
            now = cycle.ok_or(damaged(number))?;
            if ended.is_none() {
                inputs.push(timed(now, rest).ok_or(damaged(number))?);
                continue;
            }
            let how = how(rest).ok_or(damaged(number))?;
            if let Some((number, _)) = lines.next() {
                return Err(format!("line {}: comes after the end", number + 1));
            }
            return Ok(Self {
                beginning,
                mac,
                console,
                inputs,
                end: now,
                how,
            });
        }
        Err("is cut short".to_string())
    }

    /// The file's text.
    #[must_use]
    pub fn text(&self) -> String {
        let Beginning {
            machine,
            described,
            cycle,
            loaded,
        } = &self.beginning;
        let Mac(mac) = self.mac;
        let mac = mac.map(|byte| format!("{byte:02x}")).join(":");
        let mut text = format!(
            "{MARK}\nmachine {machine} {described:016x}\nbegins {cycle} {loaded:016x}\n\
             mac {mac}\nconsole {}\n",
            self.console
        );
        for timed in &self.inputs {
            let asleep = if timed.asleep { "asleep " } else { "" };
            let _ = write!(text, "{} {asleep}", timed.cycle);
            let _ = match &timed.input {
                Input::Typed(bytes) => writeln!(text, "typed {}", quote(bytes)),
                Input::Frame(bytes) => writeln!(text, "frame {}", hex(bytes)),
                Input::Arrived => writeln!(text, "arrived"),
                Input::Cable(true) => writeln!(text, "cable plugged"),
                Input::Cable(false) => writeln!(text, "cable unplugged"),
                Input::Key(key, true) => writeln!(text, "key {} pressed", key.name()),
                Input::Key(key, false) => writeln!(text, "key {} released", key.name()),
            };
        }
        let how = match &self.how {
            How::Left => "left".to_string(),
            How::Budget => "max-cycles".to_string(),
            How::Hung(why) => format!("hung {}", quote(why.as_bytes())),
            How::Itself => "itself".to_string(),
            How::Unexpected(why) => format!("unexpected {}", quote(why.as_bytes())),
        };
        let _ = writeln!(text, "ends {} {how}", self.end);
        text
    }

    /// Whether a run with that beginning can be given this; of a later one, which was saved on the way,
    /// the machine alone can be compared.
    ///
    /// # Errors
    /// Why not.
    pub fn fits(&self, run: &Beginning) -> Result<(), String> {
        let own = &self.beginning;
        if own.described != run.described {
            let (own, run) = (&own.machine, &run.machine);
            return Err(if own == run {
                format!("was recorded on another {own} than this machine file's")
            } else {
                format!("was recorded on {own}, not on {run}")
            });
        }
        if run.cycle < own.cycle {
            let (own, run) = (own.cycle, run.cycle);
            return Err(format!(
                "begins at cycle {own}, after the run, which is at {run}"
            ));
        }
        if run.cycle > self.end {
            let (end, run) = (self.end, run.cycle);
            return Err(format!(
                "ends at cycle {end}, before the run begins, at {run}"
            ));
        }
        if run.cycle == own.cycle && run.loaded != own.loaded {
            return Err(
                "was recorded with another kernel, command line, RAM disk, device tree or \
                        saved machine"
                    .to_string(),
            );
        }
        Ok(())
    }
}

/// A hash of several files and texts (FNV-1a), by which a recording knows its own.
#[must_use]
pub fn hash<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> u64 {
    const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x0100_0000_01b3;
    let mut hash = OFFSET;
    for part in parts {
        let length = (part.len() as u64).to_le_bytes();
        for byte in length.iter().chain(part) {
            hash = (hash ^ u64::from(*byte)).wrapping_mul(PRIME);
        }
    }
    hash
}

fn cycle_of(text: &str) -> Option<Cycle> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let cycle = text.parse().ok().filter(|_| digits)?;
    (plausible(cycle) && cycle != Cycle::MAX).then_some(cycle)
}

fn hash_of(text: &str) -> Option<u64> {
    let whole = text.len() == 16 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    u64::from_str_radix(text, 16).ok().filter(|_| whole)
}

fn timed(cycle: Cycle, line: &str) -> Option<Timed> {
    let (asleep, line) = match line.strip_prefix("asleep ") {
        Some(rest) => (true, rest),
        None => (false, line),
    };
    let (what, rest) = line.split_once(' ').unwrap_or((line, ""));
    let input = match (what, rest) {
        ("typed", text) => match quoted(text) {
            Ok((bytes, "")) => Input::Typed(bytes),
            _ => return None,
        },
        ("frame", digits) => Input::Frame(unhex(digits)?),
        ("arrived", "") => Input::Arrived,
        ("cable", "plugged") => Input::Cable(true),
        ("cable", "unplugged") => Input::Cable(false),
        ("key", rest) => match rest.split_once(' ')? {
            (name, "pressed") => Input::Key(Key::named(name)?, true),
            (name, "released") => Input::Key(Key::named(name)?, false),
            _ => return None,
        },
        _ => return None,
    };
    Some(Timed {
        cycle,
        asleep,
        input,
    })
}

fn how(text: &str) -> Option<How> {
    let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
    let why = || match quoted(rest) {
        Ok((bytes, "")) => String::from_utf8(bytes).ok(),
        _ => None,
    };
    Some(match (word, rest) {
        ("left", "") => How::Left,
        ("max-cycles", "") => How::Budget,
        ("itself", "") => How::Itself,
        ("hung", _) => How::Hung(why()?),
        ("unexpected", _) => How::Unexpected(why()?),
        _ => return None,
    })
}

/// Bytes as a script has them.
fn quote(bytes: &[u8]) -> String {
    let mut text = String::from("\"");
    for &byte in bytes {
        match byte {
            b'\r' => text.push_str("\\r"),
            b'\n' => text.push_str("\\n"),
            b'\t' => text.push_str("\\t"),
            b'"' | b'\\' => text.extend(['\\', char::from(byte)]),
            b' '..=b'~' => text.push(char::from(byte)),
            _ => {
                let _ = write!(text, "\\x{byte:02x}");
            }
        }
    }
    text.push('"');
    text
}

fn hex(bytes: &[u8]) -> String {
    let mut text = String::new();
    for byte in bytes {
        let _ = write!(text, "{byte:02x}");
    }
    text
}

fn unhex(digits: &str) -> Option<Vec<u8>> {
    let digits = digits.as_bytes();
    let bytes = digits.len() / 2;
    if digits.len() % 2 != 0 || bytes == 0 || bytes > LONGEST_FRAME {
        return None;
    }
    let digit = |byte: u8| char::from(byte).to_digit(16);
    let pair = |pair: &[u8]| Some((digit(pair[0])? << 4 | digit(pair[1])?) as u8);
    digits.chunks(2).map(pair).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn recording(inputs: Vec<Timed>, how: How) -> Recording {
        Recording {
            beginning: Beginning {
                machine: "versatilepb".to_string(),
                described: 1,
                cycle: 100,
                loaded: u64::MAX,
            },
            mac: Mac::default(),
            console: "uart0".to_string(),
            end: inputs.last().map_or(200, |last| last.cycle),
            inputs,
            how,
        }
    }

    fn input() -> impl Strategy<Value = Input> {
        prop_oneof![
            any::<Vec<u8>>().prop_map(Input::Typed),
            prop::collection::vec(any::<u8>(), 1..100).prop_map(Input::Frame),
            Just(Input::Arrived),
            any::<bool>().prop_map(Input::Cable),
            (any::<prop::sample::Index>(), any::<bool>()).prop_map(|(key, pressed)| {
                let keys: Vec<_> = Key::every().collect();
                Input::Key(*key.get(&keys), pressed)
            }),
        ]
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(
            inputs in prop::collection::vec((0u64..1000, any::<bool>(), input()), 0..20),
            why in "\\PC*",
            how in 0usize..5,
        ) {
            let mut cycle = 100;
            let inputs = inputs.into_iter().map(|(more, asleep, input)| {
                cycle += more;
                Timed { cycle, asleep, input }
            });
            let hung = How::Hung(why.clone());
            let how = [How::Left, How::Budget, hung, How::Itself, How::Unexpected(why)][how].clone();
            let recording = recording(inputs.collect(), how);
            prop_assert_eq!(Recording::parse(recording.text().as_bytes()), Ok(recording));
        }

        #[test]
        fn no_bytes_panic(bytes: Vec<u8>) {
            let _ = Recording::parse(&bytes);
        }
    }

    #[test]
    fn the_longest_frame_is_that_of_a_wire() {
        assert_eq!(LONGEST_FRAME, crate::net::LONGEST_FRAME);
    }

    #[test]
    fn what_is_none_is_said() {
        let good = recording(Vec::new(), How::Left).text();
        let with = |line: &str| good.replace("ends 200", &format!("{line}\nends 200"));
        for (text, expected) in [
            (String::new(), "is no recording"),
            ("\u{7f}ELF".to_string(), "is no recording"),
            (
                "switchyard-input 2\n".to_string(),
                "was recorded in format 2, not 1",
            ),
            ("switchyard-input 1\n".to_string(), "is cut short"),
            (good.replace("ends 200 left\n", ""), "is cut short"),
            (good.replace("mac 02", "mac 0"), "line 4: is damaged"),
            (with("99 arrived"), "line 6: is damaged"),
            (with("150 typed \"a"), "line 6: is damaged"),
            (with("150 frame abc"), "line 6: is damaged"),
            (with("150 frame "), "line 6: is damaged"),
            (with("-1 arrived"), "line 6: is damaged"),
            (with("18446744073709551615 arrived"), "line 6: is damaged"),
            (with("150 asleep"), "line 6: is damaged"),
            (
                good.clone() + "150 arrived\n",
                "line 7: comes after the end",
            ),
        ] {
            assert_eq!(
                Recording::parse(text.as_bytes()),
                Err(expected.to_string()),
                "{text}"
            );
        }
        assert_eq!(Recording::parse(b"\xff"), Err("is no text".to_string()));
    }

    #[test]
    fn only_equal_runs_fit() {
        let recording = recording(Vec::new(), How::Left);
        let own = recording.beginning.clone();
        assert_eq!(recording.fits(&own), Ok(()));
        let said = |change: fn(&mut Beginning)| {
            let mut run = own.clone();
            change(&mut run);
            recording
                .fits(&run)
                .map_err(|why| why.split_whitespace().take(4).collect::<Vec<_>>().join(" "))
        };
        assert_eq!(
            said(|run| run.loaded = 0),
            Err("was recorded with another".to_string())
        );
        assert_eq!(
            said(|run| run.described = 0),
            Err("was recorded on another".to_string())
        );
        assert_eq!(
            said(|run| run.cycle = 99),
            Err("begins at cycle 100,".to_string())
        );
        assert_eq!(
            said(|run| run.cycle = 201),
            Err("ends at cycle 200,".to_string())
        );
        assert_eq!(
            said(|run| (run.cycle, run.loaded) = (150, 0)),
            Ok(()),
            "saved on the way"
        );
    }
}
