// SPDX-License-Identifier: Apache-2.0
//! Scripts for the console (`--input`): what to wait for, and what to type then. Time is the
//! machine's, and output is looked at every so many cycles, so that equal runs stay equal.
//!
//! A script begins with the line `#!expect`. Then, one a line:
//!
//! ```text
//! expect "login: " within 5    (seconds; without `within`, 60)
//! send "root\r"
//! wait 0.5
//! ```
//!
//! Empty lines and those that begin with `#` are for people. In a text, `\r`, `\n`, `\t`, `\"`, `\\`
//! and `\xNN` are what they are in C.

use crate::event::Cycle;

/// How a script begins; other input is typed as it is.
pub const MARK: &[u8] = b"#!expect";
/// Seconds that an `expect` waits if it does not say.
const PATIENCE: f64 = 60.0;
/// Longest time that a line may name, in seconds.
const LONGEST: f64 = 1e6;
/// Output that is kept for an `expect` that comes later.
const HEARD: usize = 1 << 16;

const A_LINE: &str = "expect \"TEXT\" [within SECONDS], send \"TEXT\" or wait SECONDS";

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
    Expect { text: Vec<u8>, seconds: f64 },
    Send(Vec<u8>),
    Wait(f64),
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
            let what = step(line).map_err(|(what, expected)| {
                format!("line {}: {what}; expected {expected}", number + 1)
            })?;
            let line = number + 1;
            steps.push(Step { line, what });
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
    ) -> Result<Vec<u8>, String> {
        self.heard.extend(output);
        let mut typed = Vec::new();
        while let Some(step) = self.steps.get(self.next) {
            let began = *self.since.get_or_insert(now);
            let passed =
                |seconds: f64| now.saturating_sub(began) as f64 >= seconds * clock_hz as f64;
            match &step.what {
                What::Send(text) => typed.extend(text),
                What::Wait(seconds) if stuck && typed.is_empty() || passed(*seconds) => {}
                What::Wait(_) => break,
                What::Expect { text, seconds } => match find(&self.heard, text) {
                    Some(end) => drop(self.heard.drain(..end)),
                    None if !typed.is_empty() => break,
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
        Ok(typed)
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

fn step(line: &str) -> Result<What, Wrong> {
    let no_line = || (format!("`{line}`"), A_LINE);
    let (verb, rest) = line.split_once(char::is_whitespace).ok_or_else(no_line)?;
    let rest = rest.trim();
    match verb {
        "send" => match quoted(rest)? {
            (text, "") => Ok(What::Send(text)),
            (_, more) => Err((format!("`{more}` behind the text"), "nothing there")),
        },
        "wait" => seconds(rest).map(What::Wait),
        "expect" => {
            let (text, more) = quoted(rest)?;
            if text.is_empty() {
                return Err(("an empty text".to_string(), "what the guest will write"));
            }
            let seconds = match more.strip_prefix("within") {
                _ if more.is_empty() => PATIENCE,
                Some(time) => seconds(time.trim())?,
                None => return Err((format!("`{more}` behind the text"), "within SECONDS")),
            };
            Ok(What::Expect { text, seconds })
        }
        _ => Err(no_line()),
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
        assert_eq!(s.go_on(b"log", 0, HZ, false).unwrap(), b"");
        // in two pieces, and the next text in the same one
        assert_eq!(s.go_on(b"in: $", 10, HZ, false).unwrap(), b"me\r\x03");
        assert_eq!(s.go_on(b"", 20, HZ, false).unwrap(), b"");
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
        assert_eq!(s.go_on(b"", 0, HZ, false).unwrap(), b"");
        assert_eq!(s.go_on(b"", 10, HZ, true).unwrap(), b"x");
        let stuck = s.go_on(b"", 20, HZ, true).unwrap_err();
        assert_eq!(
            stuck,
            "line 3: \"y\" did not come and the guest waits for input"
        );
        let mut s = script("wait 5\nsend \"x\"");
        assert_eq!(s.go_on(b"", 0, HZ, false).unwrap(), b"");
        assert_eq!(s.go_on(b"", 4999, HZ, false).unwrap(), b"");
        assert_eq!(s.go_on(b"", 5000, HZ, false).unwrap(), b"x");
    }

    #[test]
    fn mistakes_are_named_with_their_line() {
        for (line, wrong) in [
            ("speak \"x\"", "`speak \"x\"`; expected expect"),
            ("send", "`send`; expected expect"),
            ("send x", "`x`; expected a text in double quotes"),
            ("send \"x", "`\"x`; expected a text in double quotes"),
            ("send \"x\\", "expected a text in double quotes"),
            (
                "send \"x\" y",
                "`y` behind the text; expected nothing there",
            ),
            ("send \"\\q\"", "\\q; expected \\r"),
            ("send \"\\x1\"", "an unfinished \\x; expected \\r"),
            (
                "expect \"\"",
                "an empty text; expected what the guest will write",
            ),
            (
                "expect \"x\" in 5",
                "`in 5` behind the text; expected within SECONDS",
            ),
            ("expect \"x\" within", "``; expected seconds"),
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
