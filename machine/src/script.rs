// SPDX-License-Identifier: Apache-2.0
//! Scripts for console and keyboard (`--input`): what to wait for, and what to type then. Time is the
//! machine's, and output is looked at every so many cycles, so that equal runs stay equal.
//!
//! A script begins with the line `#!expect`. Then, one a line:
//!
//! ```text
//! expect "login: " within 5    (seconds; without `within`, 60)
//! send "root\r"
//! wait 0.5
//! press esc ctrl-alt-delete    (keys of the keyboard, one after another, by QEMU's names for them)
//! keys "root\n"                (what a person types on it, if it is a US keyboard)
//! ```
//!
//! Empty lines and those that begin with `#` are for people. In a text, `\r`, `\n`, `\t`, `\"`, `\\`
//! and `\xNN` are what they are in C.

use crate::dev::keyboard::Key;
use crate::event::Cycle;

/// How a script begins; other input is typed as it is.
pub const MARK: &[u8] = b"#!expect";
/// Seconds that an `expect` waits if it does not say.
const PATIENCE: f64 = 60.0;
/// Longest time that a line may name, in seconds.
const LONGEST: f64 = 1e6;
/// Seconds for which a key is held down, and that pass before the next one.
const HELD: f64 = 0.01;
/// Output that is kept for an `expect` that comes later.
const HEARD: usize = 1 << 16;

const A_LINE: &str =
    "expect \"TEXT\" [within SECONDS], send \"TEXT\", wait SECONDS, press KEY... or keys \"TEXT\"";

/// A script, and how far it is.
#[derive(Debug)]
pub struct Script {
    steps: Vec<Step>,
    next: usize,
    /// When the next step began.
    since: Option<Cycle>,
    /// Output after what was expected last.
    heard: Vec<u8>,
}

#[derive(Debug)]
struct Step {
    line: usize,
    what: What,
}

#[derive(Debug)]
enum What {
    Expect {
        text: Vec<u8>,
        seconds: f64,
    },
    Send(Vec<u8>),
    Wait(f64),
    /// Presses these keys, or releases them.
    Keys(Vec<Key>, bool),
}

/// What a script has for the machine.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Given {
    /// What is typed on the console.
    pub typed: Vec<u8>,
    /// Keys that are pressed, or released.
    pub keys: Vec<(Key, bool)>,
}

impl Given {
    /// Whether it is nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.typed.is_empty() && self.keys.is_empty()
    }
}

impl Script {
    /// Reads one.
    ///
    /// # Errors
    /// The line's number, what is wrong with it, and what was expected.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut steps = Vec::new();
        for (number, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let found = step(line).map_err(|(what, expected)| {
                format!("line {}: {what}; expected {expected}", number + 1)
            })?;
            let line = number + 1;
            steps.extend(found.into_iter().map(|what| Step { line, what }));
        }
        Ok(Self {
            steps,
            next: 0,
            since: None,
            heard: Vec::new(),
        })
    }

    /// What is to be typed at cycle `now`, when the guest has written `output` since the last time.
    /// `stuck`: only something typed makes it go on.
    ///
    /// # Errors
    /// What was expected has not come, and cannot come any more or took too long.
    pub fn go_on(
        &mut self,
        output: &[u8],
        now: Cycle,
        clock_hz: u64,
        stuck: bool,
    ) -> Result<Given, String> {
        self.heard.extend(output);
        let mut given = Given::default();
        while let Some(step) = self.steps.get(self.next) {
            let began = *self.since.get_or_insert(now);
            let passed =
                |seconds: f64| now.saturating_sub(began) as f64 >= seconds * clock_hz as f64;
            match &step.what {
                What::Send(text) => given.typed.extend(text),
                What::Keys(keys, pressed) => {
                    given.keys.extend(keys.iter().map(|key| (*key, *pressed)));
                }
                What::Wait(seconds) if stuck && given.is_empty() || passed(*seconds) => {}
                What::Wait(_) => break,
                What::Expect { text, seconds } => match find(&self.heard, text) {
                    Some(end) => drop(self.heard.drain(..end)),
                    None if !given.is_empty() => break,
                    None if stuck => return Err(self.missing("and the guest waits for input")),
                    None if passed(*seconds) => {
                        let within = format!("within {seconds} s");
                        return Err(self.missing(&within));
                    }
                    None => break,
                },
            }
            self.next += 1;
            self.since = None;
        }
        let old = self.heard.len().saturating_sub(HEARD);
        self.heard.drain(..old);
        Ok(given)
    }

    /// The line of the first step that needs a keyboard.
    #[must_use]
    pub fn needs_keyboard(&self) -> Option<usize> {
        let mut steps = self.steps.iter();
        let first = steps.find(|step| matches!(step.what, What::Keys(..)))?;
        Some(first.line)
    }

    /// The guest has come to its end.
    ///
    /// # Errors
    /// Something was still expected.
    pub fn end(&self) -> Result<(), String> {
        match self.steps.get(self.next).map(|step| &step.what) {
            Some(What::Expect { .. }) => Err(self.missing("before the guest ended")),
            _ => Ok(()),
        }
    }

    fn missing(&self, why: &str) -> String {
        let step = &self.steps[self.next];
        let text = match &step.what {
            What::Expect { text, .. } => String::from_utf8_lossy(text).escape_debug().to_string(),
            _ => String::new(),
        };
        format!("line {}: \"{text}\" did not come {why}", step.line)
    }
}

/// Where `text` ends in `heard`, if it is there.
fn find(heard: &[u8], text: &[u8]) -> Option<usize> {
    let at = heard.windows(text.len()).position(|part| part == text)?;
    Some(at + text.len())
}

/// What is wrong with a line, and what was expected.
pub type Wrong = (String, &'static str);

fn step(line: &str) -> Result<Vec<What>, Wrong> {
    let no_line = || (format!("`{line}`"), A_LINE);
    let (verb, rest) = line.split_once(char::is_whitespace).ok_or_else(no_line)?;
    let rest = rest.trim();
    match verb {
        "send" => Ok(vec![What::Send(alone(rest)?)]),
        "wait" => Ok(vec![What::Wait(seconds(rest)?)]),
        "press" => {
            let mut steps = Vec::new();
            for word in rest.split_whitespace() {
                const NAMES: &str =
                    "keys as QEMU's sendkey has them, such as a, ret or ctrl-alt-delete";
                let keys: Option<_> = word.split('-').map(Key::named).collect();
                steps.extend(pressed(keys.ok_or_else(|| (format!("`{word}`"), NAMES))?));
            }
            Ok(steps)
        }
        "keys" => {
            let mut steps = Vec::new();
            for byte in alone(rest)? {
                const TYPED: &str = "characters that a US keyboard has";
                let keys = Key::typing(byte.into());
                steps.extend(pressed(keys.ok_or_else(|| (format!("`{rest}`"), TYPED))?));
            }
            Ok(steps)
        }
        "expect" => {
            let (text, more) = quoted(rest)?;
            if text.is_empty() {
                return Err(("an empty text".to_string(), "what the guest will write"));
            }
            let seconds = match more.strip_prefix("within") {
                _ if more.is_empty() => PATIENCE,
                Some(time) => seconds(time.trim())?,
                None => return Err((format!("`{more}` after the text"), "within SECONDS")),
            };
            Ok(vec![What::Expect { text, seconds }])
        }
        _ => Err(no_line()),
    }
}

/// Presses keys and releases them in the other order.
fn pressed(keys: Vec<Key>) -> [What; 4] {
    let back = keys.iter().rev().copied().collect();
    [
        What::Keys(keys, true),
        What::Wait(HELD),
        What::Keys(back, false),
        What::Wait(HELD),
    ]
}

/// The text in quotes that is all of it.
fn alone(line: &str) -> Result<Vec<u8>, Wrong> {
    match quoted(line)? {
        (text, "") => Ok(text),
        (_, more) => Err((format!("`{more}` after the text"), "nothing there")),
    }
}

fn seconds(text: &str) -> Result<f64, Wrong> {
    let parsed = text.parse().ok();
    parsed
        .filter(|seconds| (0.0..=LONGEST).contains(seconds))
        .ok_or_else(|| (format!("`{text}`"), "seconds, from 0 to 1000000"))
}

/// The text in quotes that `line` begins with, and what follows it.
///
/// # Errors
/// What is wrong, and what was expected.
pub fn quoted(line: &str) -> Result<(Vec<u8>, &str), Wrong> {
    const CLOSED: &str = "a text in double quotes";
    const ESCAPES: &str = "\\r, \\n, \\t, \\\", \\\\ or \\xNN";
    let open = || (format!("`{line}`"), CLOSED);
    let inside = line.strip_prefix('"').ok_or_else(open)?;
    let mut text = Vec::new();
    let mut rest = inside.char_indices();
    while let Some((at, c)) = rest.next() {
        match c {
            '"' => return Ok((text, inside[at + 1..].trim())),
            '\\' => match rest.next().map(|(_, c)| c) {
                Some('r') => text.push(b'\r'),
                Some('n') => text.push(b'\n'),
                Some('t') => text.push(b'\t'),
                Some(c @ ('"' | '\\')) => text.push(c as u8),
                Some('x') => {
                    let mut digit = || rest.next().and_then(|(_, c)| c.to_digit(16));
                    match (digit(), digit()) {
                        (Some(high), Some(low)) => text.push((high << 4 | low) as u8),
                        _ => return Err(("an unfinished \\x".to_string(), ESCAPES)),
                    }
                }
                Some(c) => return Err((format!("\\{c}"), ESCAPES)),
                None => return Err(open()),
            },
            c => text.extend(c.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    Err(open())
}

#[cfg(test)]
mod tests {
    use super::*;

    const HZ: u64 = 1000;

    fn script(text: &str) -> Script {
        Script::parse(text).unwrap()
    }

    #[test]
    fn texts_are_awaited_and_answered() {
        let mut s =
            script("#!expect\n\n# a shell\nexpect \"in: \"\nsend \"me\\r\\x03\"\nexpect \"$\"");
        assert_eq!(s.go_on(b"log", 0, HZ, false).unwrap().typed, b"");
        // in two pieces, and the next text in the same one
        assert_eq!(s.go_on(b"in: $", 10, HZ, false).unwrap().typed, b"me\r\x03");
        assert_eq!(s.go_on(b"", 20, HZ, false).unwrap().typed, b"");
        s.end().unwrap();
    }

    #[test]
    fn what_came_before_is_not_awaited_again() {
        let mut s = script("expect \"a\"\nexpect \"a\" within 1");
        s.go_on(b"a", 0, HZ, false).unwrap();
        assert!(s.end().unwrap_err().contains("line 2"));
        s.go_on(b"", 999, HZ, false).unwrap();
        let late = s.go_on(b"", 1000, HZ, false).unwrap_err();
        assert_eq!(late, "line 2: \"a\" did not come within 1 s");
    }

    #[test]
    fn a_guest_that_waits_for_input_is_not_waited_for() {
        let mut s = script("wait 5\nsend \"x\"\nexpect \"y\"");
        assert_eq!(s.go_on(b"", 0, HZ, false).unwrap().typed, b"");
        assert_eq!(s.go_on(b"", 10, HZ, true).unwrap().typed, b"x");
        let stuck = s.go_on(b"", 20, HZ, true).unwrap_err();
        assert_eq!(
            stuck,
            "line 3: \"y\" did not come and the guest waits for input"
        );
        let mut s = script("wait 5\nsend \"x\"");
        assert_eq!(s.go_on(b"", 0, HZ, false).unwrap().typed, b"");
        assert_eq!(s.go_on(b"", 4999, HZ, false).unwrap().typed, b"");
        assert_eq!(s.go_on(b"", 5000, HZ, false).unwrap().typed, b"x");
    }

    #[test]
    fn keys_are_pressed_and_released() {
        let key = |name| Key::named(name).unwrap();
        let mut s = script("press shift-a esc\nkeys \"B\"\nsend \"x\"");
        assert_eq!(s.needs_keyboard(), Some(1));
        let given = s.go_on(b"", 0, HZ, false).unwrap();
        assert_eq!(given.keys, [(key("shift"), true), (key("a"), true)]);
        assert!(s.go_on(b"", 9, HZ, false).unwrap().is_empty());
        let given = s.go_on(b"", 10, HZ, false).unwrap();
        assert_eq!(given.keys, [(key("a"), false), (key("shift"), false)]);
        // a guest that sleeps meanwhile is not waited for
        let mut more = Vec::new();
        let mut typed = Vec::new();
        for _ in 0..6 {
            let given = s.go_on(b"", 11, HZ, true).unwrap();
            more.extend(given.keys.into_iter().map(|(key, on)| (key.name(), on)));
            typed.extend(given.typed);
        }
        let pressed = [
            ("esc", true),
            ("esc", false),
            ("shift", true),
            ("b", true),
            ("b", false),
            ("shift", false),
        ];
        assert_eq!(
            (more.as_slice(), typed.as_slice()),
            (&pressed[..], &b"x"[..])
        );
        assert_eq!(script("send \"x\"").needs_keyboard(), None);
    }

    #[test]
    fn mistakes_are_named_with_their_line() {
        for (line, wrong) in [
            ("speak \"x\"", "`speak \"x\"`; expected expect"),
            ("send", "`send`; expected expect"),
            ("send x", "`x`; expected a text in double quotes"),
            ("send \"x", "`\"x`; expected a text in double quotes"),
            ("send \"x\\", "expected a text in double quotes"),
            ("send \"x\" y", "`y` after the text; expected nothing there"),
            ("send \"\\q\"", "\\q; expected \\r"),
            ("send \"\\x1\"", "an unfinished \\x; expected \\r"),
            (
                "expect \"\"",
                "an empty text; expected what the guest will write",
            ),
            (
                "expect \"x\" in 5",
                "`in 5` after the text; expected within SECONDS",
            ),
            ("expect \"x\" within", "``; expected seconds"),
            (
                "press a hyper-x",
                "`hyper-x`; expected keys as QEMU's sendkey",
            ),
            ("press a-", "`a-`; expected keys as QEMU's sendkey"),
            (
                "keys \"a\\x00\"",
                "expected characters that a US keyboard has",
            ),
            ("keys \"a\" b", "`b` after the text; expected nothing there"),
            ("wait -1", "`-1`; expected seconds, from 0 to 1000000"),
            ("wait nan", "`nan`; expected seconds"),
            ("wait 1e7", "`1e7`; expected seconds"),
        ] {
            let said = Script::parse(&format!("#!expect\n{line}")).unwrap_err();
            assert!(
                said.starts_with("line 2: ") && said.contains(wrong),
                "{said}"
            );
        }
    }
}
