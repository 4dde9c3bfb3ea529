// SPDX-License-Identifier: Apache-2.0
//! `monitor` commands: what GDB has no notion of. Looking changes nothing.

use std::io::{BufReader, BufWriter};

use crate::arch::Processor;
use crate::check::Finding;
use crate::machine::Machine;
use crate::report;
use crate::snapshot::{self, Saved};
use crate::state::Damaged;
use crate::symbols::Symbols;

use super::{Debuggable, Files, Watched};

/// What every processor knows, before and after what only one does.
const HELP: [&str; 2] = [
    "\
monitor cycles         cycles and instructions since reset
monitor counters       all counters and regions up to now, as JSON
monitor until CYCLE    stop the next run with SIGALRM at that cycle; `never` takes it back
monitor type \"TEXT\"    type on the console; \\r, \\n, \\t, \\\", \\\\ and \\xNN as in C
monitor findings       what --check coherence has found
monitor device-reads on|off  read registers of devices, too, which may change them; else they are not read
",
    "\
monitor save FILE      write the whole machine to a file
monitor restore FILE   go back to what was saved there
monitor reset          begin again, as the machine was when the first debugger came
",
];

const NO_FILES: &str = "a debugger from another computer may not name files of this one; \
                        expected --gdb :PORT\n";

/// Answers a command; an unknown one with the list of all. `files`: those that it may name.
pub fn answer<P: Debuggable>(
    machine: &mut Machine<P>,
    command: &str,
    files: Option<&dyn Files>,
) -> String {
    let words: Vec<&str> = command.split_whitespace().collect();
    match words[..] {
        ["cycles"] => {
            let cycles = machine.cycles();
            let instructions = machine.counters().totals().sum().run.instructions;
            format!("{cycles} cycles, {instructions} instructions\n")
        }
        ["counters"] => report::counts(machine),
        ["findings"] => match machine.core().observer().findings() {
            Some(findings) => told(&findings),
            None => "nothing is checked; expected --check coherence\n".to_string(),
        },
        ["save", file] => files.map_or(NO_FILES.to_string(), |all| save(machine, all, file)),
        ["restore", file] => files.map_or(NO_FILES.to_string(), |all| restore(machine, all, file)),
        ref other => {
            let answer = machine.core().monitor(other);
            answer.unwrap_or_else(|| [HELP[0], P::MONITOR_HELP, HELP[1]].concat())
        }
    }
}

fn told(findings: &[Finding]) -> String {
    let symbols = Symbols::new(); // the debugger has its own
    let lines = findings
        .iter()
        .map(|finding| format!("{}\n", finding.told(&symbols)));
    match findings {
        [] => "nothing was found\n".to_string(),
        _ => lines.collect(),
    }
}

/// Whether a command has put the machine into another state, so that what a debugger knows of it
/// is void.
pub fn changes_state(command: &str) -> bool {
    matches!(
        command.split_whitespace().collect::<Vec<_>>()[..],
        ["restore", _] | ["reset"]
    )
}

fn save<P: Processor>(machine: &mut Machine<P>, files: &dyn Files, file: &str) -> String {
    let written = files
        .create(file)
        .and_then(|out| snapshot::save(machine, BufWriter::new(out)));
    match written {
        Ok(()) => format!("saved at cycle {}\n", machine.cycles()),
        Err(error) => format!("{file}: {error}; expected a file that can be written\n"),
    }
}

/// Goes back, or leaves the machine as it is if the file is unfit.
fn restore<P: Processor>(machine: &mut Machine<P>, files: &dyn Files, file: &str) -> String {
    let opened = match files.open(file) {
        Ok(opened) => opened,
        Err(error) => return format!("{file}: {error}; expected a saved machine\n"),
    };
    let mut before = Vec::new();
    // Memory takes what is written to it.
    let kept = snapshot::save(machine, &mut before).is_ok();
    let result = Saved::open(BufReader::new(opened)).and_then(|saved| saved.restore(machine));
    match result {
        Ok(()) => format!(
            "restored to cycle {}; now say: maintenance flush register-cache\n",
            machine.cycles()
        ),
        Err(Damaged(what)) => {
            let back = kept && Saved::open(&before[..]).is_ok_and(|b| b.restore(machine).is_ok());
            debug_assert!(back, "what was saved just now can be restored");
            format!("{file}: {what}; expected a saved machine\n")
        }
    }
}
