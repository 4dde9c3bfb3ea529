// SPDX-License-Identifier: Apache-2.0
//! Findings for people: a sentence, and indented lines that say who accessed, who wrote, through what,
//! what would have been right, and how to go there in a debugger.

use std::fmt::Write as _;

use crate::lines::Lines;
use crate::symbols::Symbols;

use super::{Finding, Line, Writer};

/// Findings that are printed; those that are alike are one.
const MOST: usize = 20;
/// Places of findings that are alike, beside the first's.
const MOST_PLACES: usize = 4;

/// What the findings are told with.
struct Names<'a> {
    symbols: &'a Symbols,
    lines: Lines,
    /// An address without a name, if one was met.
    nameless: Option<u64>,
}

/// Findings of `name`, the program that checked, as text; places have the names that `symbols` knows.
#[must_use]
pub fn report(name: &str, findings: &[Finding], symbols: &Symbols) -> String {
    let mut names = Names {
        symbols,
        lines: symbols.lines(),
        nameless: None,
    };
    let groups = alike(findings, symbols);
    let mut text = String::new();
    for group in groups.iter().take(MOST) {
        let _ = writeln!(text, "{name}: {}: {}", group[0].cause, group[0].explanation);
        names.tell(&mut text, group);
    }
    if groups.len() > MOST {
        let rest = groups.len() - MOST;
        let _ = writeln!(text, "{name}: and {rest} more findings (--stats has all)");
    }
    if let Some(address) = names.nameless {
        let _ = writeln!(
            text,
            "{name}: {address:#010x} has no name: --symbols FILE names the functions of that program"
        );
    }
    text
}

/// Findings that are alike, together: of one cause, in one function, about what one function wrote.
fn alike<'a>(findings: &'a [Finding], symbols: &Symbols) -> Vec<Vec<&'a Finding>> {
    let function = |pc: u64| match symbols.find(pc) {
        Some((name, _)) => Ok(name.to_string()),
        None => Err(pc),
    };
    let mut groups: Vec<(_, Vec<&Finding>)> = Vec::new();
    for finding in findings {
        let writer = blamed(finding).map(|writer| function(writer.pc));
        let key = (finding.cause, function(finding.access.pc), writer);
        match groups.iter_mut().find(|(known, _)| *known == key) {
            Some((_, group)) => group.push(finding),
            None => groups.push((key, vec![finding])),
        }
    }
    groups.into_iter().map(|(_, group)| group).collect()
}

/// Who wrote what the finding is about.
fn blamed(finding: &Finding) -> Option<&Writer> {
    let line = finding.line.as_ref().and_then(|line| line.writer.as_ref());
    finding.writer.as_ref().or(line)
}

impl Names<'_> {
    fn tell(&mut self, text: &mut String, group: &[&Finding]) {
        let first = group[0];
        let mut line = |word: &str, what: String| {
            let _ = writeln!(text, "    {word:<9} {what}");
        };
        let space = first.spaces.map_or(String::new(), |(running, _)| {
            format!(", in space {running:#010x}")
        });
        line("at", format!("{}{space}", self.place(first.access.pc)));
        line("accessed", accessed(first));
        if let Some(right) = right(first) {
            line("right", right);
        }
        if let Some(done) = &first.changed {
            let by = self.place(done.pc);
            line(
                "changed",
                format!("{} by {by} in cycle {}", done.what, done.cycle),
            );
        }
        if let Some(writer) = &first.writer {
            line("written", self.written(writer));
        }
        if let Some(blamed) = &first.line {
            self.line(blamed, &mut line);
        }
        if let Some(done) = &first.translated {
            let by = self.place(done.pc);
            line(
                "entry",
                format!("{} by {by} in cycle {}", done.what, done.cycle),
            );
        }
        if let Some((running, other)) = first.spaces.filter(|(running, other)| running != other) {
            line(
                "spaces",
                format!("{running:#010x} runs, made for {other:#010x}"),
            );
        }
        let times: u64 = group.iter().map(|finding| finding.count).sum();
        line("seen", seen(times, group));
        let written = || blamed(first).map(|writer| writer.cycle);
        let changed = first.changed.as_ref().map(|done| done.cycle);
        let cycle = changed.or_else(written).unwrap_or(first.access.cycle);
        line(
            "in GDB",
            format!("handle SIGALRM stop, monitor until {cycle}, continue"),
        );
    }

    /// A line of a cache that is to blame: which, who wrote it, and what was done with it.
    fn line(&mut self, blamed: &Line, line: &mut impl FnMut(&str, String)) {
        let Line { role, mva, pa, .. } = blamed;
        line("line", format!("{role} mva {mva:#010x} pa {pa:#010x}"));
        if let Some(writer) = &blamed.writer {
            line("", self.written(writer));
        }
        if let Some(done) = &blamed.done {
            let by = self.place(done.pc);
            line("", format!("{} by {by} in cycle {}", done.what, done.cycle));
        }
    }

    fn written(&mut self, writer: &Writer) -> String {
        let Writer { pc, mva, cycle, .. } = *writer;
        let domain = writer
            .domain
            .map_or(String::new(), |d| format!(" domain {d}"));
        let by = self.place(pc);
        format!("last by {by} at mva {mva:#010x}{domain} in cycle {cycle}")
    }

    /// An instruction: its address, function and line of source, as far as they are known.
    fn place(&mut self, pc: u64) -> String {
        let mut text = format!("{pc:#010x}");
        match self.symbols.find(pc) {
            Some((name, offset)) => {
                let _ = write!(text, " <{name}+{offset:#x}>");
            }
            None => self.nameless = self.nameless.or(Some(pc)),
        }
        if let Some(line) = self.lines.find(pc) {
            let _ = write!(text, " {line}");
        }
        text
    }
}

/// The access that noticed.
fn accessed(finding: &Finding) -> String {
    let (va, cycle) = (finding.access.va, finding.access.cycle);
    let mut text = format!("va {va:#010x}");
    if finding.mva != va {
        let _ = write!(text, " mva {:#010x}", finding.mva);
    }
    let _ = write!(text, " pa {:#010x}", finding.pa);
    if let Some(domain) = finding.domain {
        let _ = write!(text, " domain {domain}");
    }
    let (read, newest) = finding.values;
    if read != newest {
        let _ = write!(text, ", read {read:#x}");
    }
    let _ = write!(text, " in cycle {cycle}");
    text
}

/// What the ideal machine would have done, where that can be said by itself.
fn right(finding: &Finding) -> Option<String> {
    let (read, newest) = finding.values;
    match finding.ideal_pa {
        None => Some("a fault: this is not mapped for it any more, or not allowed".to_string()),
        Some(ideal) if ideal != finding.pa => Some(format!("pa {ideal:#010x}")),
        Some(_) => (read != newest).then(|| format!("{newest:#x}")),
    }
}

/// How often, and where else.
fn seen(times: u64, group: &[&Finding]) -> String {
    let often = if times == 1 {
        "once".to_string()
    } else {
        format!("{times} times")
    };
    let others: Vec<String> = group
        .iter()
        .skip(1)
        .take(MOST_PLACES)
        .map(|finding| format!("{:#010x}", finding.access.pc))
        .collect();
    let more = group.len().saturating_sub(1 + MOST_PLACES);
    match (others.is_empty(), more) {
        (true, _) => often,
        (false, 0) => format!("{often}, also at {}", others.join(", ")),
        (false, more) => format!(
            "{often}, also at {} and {more} more places",
            others.join(", ")
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observe::Access;

    fn finding(pc: u64, written_by: u64, count: u64) -> Finding {
        let access = Access {
            cycle: 100,
            pc,
            va: 0xa004,
            bytes: 4,
            privileged: false,
        };
        let writer = Writer {
            pc: written_by,
            mva: 0xa01c,
            domain: Some(1),
            cached: true,
            cycle: 90,
        };
        Finding {
            cause: "stale-line",
            explanation: "a line was not invalidated",
            access,
            mva: 0x0200_a004,
            pa: 0xc000_0000,
            ideal_pa: Some(0xc000_0000),
            domain: Some(1),
            values: (0, 3),
            writer: Some(writer),
            line: None,
            translated: None,
            spaces: None,
            changed: None,
            count,
        }
    }

    #[test]
    fn a_finding_is_a_sentence_and_indented_lines() {
        let text = report("machine", &[finding(0x8000, 0x9000, 2)], &Symbols::new());
        let expected = "\
machine: stale-line: a line was not invalidated
    at        0x00008000
    accessed  va 0x0000a004 mva 0x0200a004 pa 0xc0000000 domain 1, read 0x0 in cycle 100
    right     0x3
    written   last by 0x00009000 at mva 0x0000a01c domain 1 in cycle 90
    seen      2 times
    in GDB    handle SIGALRM stop, monitor until 90, continue
machine: 0x00008000 has no name: --symbols FILE names the functions of that program
";
        assert_eq!(text, expected);
    }

    #[test]
    fn what_is_alike_is_one_and_the_rest_is_counted() {
        let same = [finding(0x8000, 0x9000, 2), finding(0x8000, 0x9000, 3)];
        let text = report("machine", &same, &Symbols::new());
        assert!(
            text.contains("    seen      5 times, also at 0x00008000\n"),
            "{text}"
        );
        let many: Vec<Finding> = (0..25)
            .map(|n| finding(0x8000 + 4 * n, 0x9000, 1))
            .collect();
        let text = report("machine", &many, &Symbols::new());
        assert_eq!(text.matches("stale-line: ").count(), MOST);
        assert!(text.contains("machine: and 5 more findings (--stats has all)\n"));
    }
}
