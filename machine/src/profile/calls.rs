// SPDX-License-Identifier: Apache-2.0
//! Who called whom: a tree of functions, each with what it took itself, and the stack that runs.
//!
//! Calls and returns are seen by what instructions do: a call leaves a return address, a return goes
//! there with the stack at least as high. An exception is a call by what it has interrupted. Programs'
//! stacks are suspended while the kernel runs, and the kernel's own when it goes to another one; each
//! is found again by its stack pointer, programs' by their address space too. What is not found again
//! (a new thread, a signal's handler) begins anew below nobody.

use std::collections::{BTreeMap, HashMap};
use std::mem::{replace, take};
use std::ops::Range;

use crate::observe::Commit;
use crate::symbols::Symbols;
use crate::trace::Timeline;

use super::Cost;

/// Deepest stack that is kept; what is called beyond runs as if by its caller.
const DEEPEST: usize = 512;
/// Most suspended stacks; then all of them are forgotten.
const MOST_SUSPENDED: usize = 4096;
/// In the kernel, a stack pointer that moves further by one instruction has gone to another stack.
const FAR: u64 = 1024;
/// The node of nobody, which calls all that are called by nobody.
pub const NOBODY: usize = 0;

/// What calls are on an architecture.
pub trait Calling: Timeline {
    /// Where a function returns to that an instruction has called, if it has.
    fn returns_to(commit: &Commit<'_, Self>) -> Option<u64>;
    /// The stack pointer.
    fn stack_pointer(registers: &[Self::Word]) -> u64;
}

/// A function, or an exception, as it is shown.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// Whether it runs with the rights of a privileged mode.
    pub kernel: bool,
}

/// A function under the stack of those that have called it.
#[derive(Debug)]
pub struct Node {
    /// Its caller's node, whose number is lower; its own for [`NOBODY`].
    pub caller: usize,
    /// Which of [`Calls::functions`].
    pub function: usize,
}

/// What a node took itself.
#[derive(Debug, Clone, Copy, Default)]
pub struct Spent {
    /// Cycles and what they waited for.
    pub cost: Cost,
    /// How often it was called.
    pub calls: u64,
}

/// Something that will be returned to.
#[derive(Debug, Clone, Copy)]
struct Frame {
    /// The node whose children run until then.
    below: usize,
    return_address: u64,
    stack_pointer: u64,
    mode: u32,
    is_exception: bool,
}

/// A stack that does not run.
#[derive(Debug, PartialEq, Eq, Hash)]
enum Suspended {
    /// A program's: what decides where its accesses go, and its stack pointer.
    User(Vec<String>, u64),
    Kernel(u64),
}

/// How the function came to run that is looked for, if not by running on or by a jump.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Came {
    /// It was called.
    Called,
    /// It was returned to, or its stack was.
    Back,
}

/// The tree, and where in it the machine is.
#[derive(Debug)]
pub struct Calls {
    symbols: Symbols,
    functions: Vec<Function>,
    numbers: HashMap<Function, usize>,
    nodes: Vec<Node>,
    children: HashMap<(usize, usize), usize>,
    /// What each node took, by region of interest, outside of them by `None`; but for the open one's.
    closed: BTreeMap<Option<u32>, Vec<Spent>>,
    open: Vec<Spent>,
    region: Option<u32>,
    frames: Vec<Frame>,
    suspended: HashMap<Suspended, Vec<Frame>>,
    /// What runs, and the addresses and the privilege for which that is so.
    leaf: usize,
    range: Range<u64>,
    privileged: bool,
    /// How the next instruction's function comes to run, if that is to be looked at.
    came: Option<Came>,
    /// An exception was taken whose first instruction is still to come: its name, the instruction and
    /// the mode that it has interrupted.
    entry: Option<(&'static str, u64, u32)>,
    /// A program's first instruction after the kernel is still to come.
    to_program: bool,
    /// Of the last instruction; of none after an exception's entry.
    stack_pointer: Option<u64>,
    mode: u32,
}

impl Calls {
    /// Nobody has run yet.
    pub fn new(symbols: Symbols) -> Self {
        let nobody = Function {
            name: "(all)".to_string(),
            kernel: true,
        };
        Self {
            symbols,
            functions: vec![nobody],
            numbers: HashMap::new(),
            nodes: vec![Node {
                caller: NOBODY,
                function: 0,
            }],
            children: HashMap::new(),
            closed: BTreeMap::new(),
            open: Vec::new(),
            region: None,
            frames: Vec::new(),
            suspended: HashMap::new(),
            leaf: NOBODY,
            range: 0..0,
            privileged: true,
            came: Some(Came::Back),
            entry: None,
            to_program: false,
            stack_pointer: None,
            mode: 0,
        }
    }

    /// The functions.
    pub fn functions(&self) -> &[Function] {
        &self.functions
    }

    /// The tree.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// What each node took: in each region of interest or, if none was entered, in the whole run.
    pub fn parts(&self) -> Vec<(Option<u32>, &[Spent])> {
        let closed = self.closed.iter().map(|(region, all)| (*region, &all[..]));
        let open = std::iter::once((self.region, &self.open[..]));
        let mut parts: Vec<_> = closed.chain(open).collect();
        if parts.iter().any(|(region, _)| region.is_some()) {
            parts.retain(|(region, _)| region.is_some());
        }
        parts.sort_by_key(|(region, _)| *region);
        parts
    }

    /// Region `region` is open from now on.
    pub fn enter_region(&mut self, region: Option<u32>) {
        if region != self.region {
            let next = self.closed.remove(&region).unwrap_or_default();
            let before = replace(&mut self.open, next);
            let region = replace(&mut self.region, region);
            self.closed.insert(region, before);
        }
    }

    /// An exception was taken.
    pub fn entered(&mut self, name: &'static str, pc: u64, mode: u32) {
        self.entry = Some((name, pc, mode));
    }

    /// The machine is somewhere else.
    pub fn forget(&mut self) {
        self.frames.clear();
        self.suspended.clear();
        self.entry = None;
        self.to_program = false;
        self.stack_pointer = None;
        self.came = Some(Came::Back);
    }

    /// An instruction was fetched.
    pub fn fetched<A: Calling>(&mut self, memory: &A::Memory, pc: u64, privileged: bool) {
        if let Some((name, interrupted, mode)) = self.entry.take() {
            self.enter_exception::<A>(memory, name, interrupted, mode);
        } else if take(&mut self.to_program) {
            let key = Suspended::User(settings::<A>(memory), self.stack_pointer.unwrap_or(0));
            self.frames = self.suspended.remove(&key).unwrap_or_default();
            self.came = Some(Came::Back);
        }
        if self.came.is_some() || privileged != self.privileged || !self.range.contains(&pc) {
            self.find(pc, privileged);
        }
    }

    /// An instruction is done.
    pub fn commit<A: Calling>(&mut self, commit: &Commit<'_, A>, cost: Cost) {
        self.spent(self.leaf).cost += cost;
        let stack_pointer = A::stack_pointer(commit.registers);
        let was_user = A::is_user(self.mode);
        let mode = replace(&mut self.mode, commit.mode);
        if self.entry.is_some() {
            return; // by this instruction: the stack pointer is still that before it
        }
        match (was_user, A::is_user(commit.mode)) {
            (true, false) if self.stack_pointer.is_some() => {
                self.entry = Some(("system call", commit.next_pc, mode));
                return;
            }
            (false, true) => self.to_program = true,
            (false, false) if mode == commit.mode && self.is_far(stack_pointer) => {
                self.go_to_stack(stack_pointer);
                self.transfer(commit, stack_pointer); // often by a return as well
            }
            _ => self.transfer(commit, stack_pointer),
        }
        self.stack_pointer = Some(stack_pointer);
    }

    fn is_far(&self, stack_pointer: u64) -> bool {
        let moved = self
            .stack_pointer
            .map(|before| before.abs_diff(stack_pointer));
        moved.is_some_and(|moved| moved > FAR)
    }

    /// The kernel goes to another stack of its own.
    fn go_to_stack(&mut self, stack_pointer: u64) {
        let before = self.stack_pointer.unwrap_or(0);
        let frames = take(&mut self.frames);
        self.suspend(Suspended::Kernel(before), frames);
        let there = self.suspended.remove(&Suspended::Kernel(stack_pointer));
        self.frames = there.unwrap_or_default();
        self.came = Some(Came::Back);
    }

    /// After an instruction on the same stack: was it a call, or a return?
    fn transfer<A: Calling>(&mut self, commit: &Commit<'_, A>, stack_pointer: u64) {
        if let Some(return_address) = A::returns_to(commit) {
            let frame = Frame {
                below: self.leaf,
                return_address,
                stack_pointer,
                mode: commit.mode,
                is_exception: false,
            };
            self.push(frame);
            self.came = Some(Came::Called);
            return;
        }
        let may_return = commit.executed && A::may_return(commit.code);
        for (depth, frame) in self.frames.iter().enumerate().rev() {
            let returned = frame.mode == commit.mode
                && if frame.is_exception {
                    // again, or after it
                    let behind = commit.next_pc.wrapping_sub(frame.return_address);
                    may_return && behind <= A::LONGEST_INSN
                } else {
                    commit.next_pc == frame.return_address && stack_pointer >= frame.stack_pointer
                };
            if returned {
                self.frames.truncate(depth);
                self.came = Some(Came::Back);
                return;
            }
            if !may_return && (frame.is_exception || frame.stack_pointer > stack_pointer) {
                return; // what is further out has not been returned to either
            }
        }
    }

    fn enter_exception<A: Calling>(
        &mut self,
        memory: &A::Memory,
        name: &'static str,
        interrupted: u64,
        mode: u32,
    ) {
        let stack_pointer = self.stack_pointer.take().unwrap_or(0);
        let number = self.number(name, true);
        let below = self.child(self.leaf, number);
        self.spent(below).calls += 1;
        if A::is_user(mode) {
            let frames = take(&mut self.frames);
            self.suspend(
                Suspended::User(settings::<A>(memory), stack_pointer),
                frames,
            );
        }
        self.push(Frame {
            below,
            return_address: interrupted,
            stack_pointer,
            mode,
            is_exception: true,
        });
        self.came = Some(Came::Called);
    }

    fn push(&mut self, frame: Frame) {
        if self.frames.len() < DEEPEST {
            self.frames.push(frame);
        }
    }

    fn suspend(&mut self, key: Suspended, frames: Vec<Frame>) {
        if self.suspended.len() >= MOST_SUSPENDED {
            self.suspended.clear();
        }
        self.suspended.insert(key, frames);
    }

    /// Finds the node of what runs at `pc`.
    fn find(&mut self, pc: u64, privileged: bool) {
        let unknown = if privileged { "(kernel)" } else { "(user)" };
        let (name, range) = self.symbols.around(pc);
        let name = name.unwrap_or(unknown).to_string();
        let number = self.number(&name, privileged);
        let below = self.frames.last().map_or(NOBODY, |frame| frame.below);
        let before = self.leaf;
        self.leaf = self.child(below, number);
        (self.range, self.privileged) = (range, privileged);
        let called = match self.came.take() {
            Some(Came::Called) => true,
            Some(Came::Back) => false,
            None => self.leaf != before,
        };
        self.spent(self.leaf).calls += u64::from(called);
    }

    fn number(&mut self, name: &str, kernel: bool) -> usize {
        let name = name.to_string();
        let function = Function { name, kernel };
        if let Some(number) = self.numbers.get(&function) {
            return *number;
        }
        let number = self.functions.len();
        self.functions.push(function.clone());
        self.numbers.insert(function, number);
        number
    }

    fn child(&mut self, caller: usize, function: usize) -> usize {
        let nodes = &mut self.nodes;
        *self.children.entry((caller, function)).or_insert_with(|| {
            nodes.push(Node { caller, function });
            nodes.len() - 1
        })
    }

    fn spent(&mut self, node: usize) -> &mut Spent {
        if node >= self.open.len() {
            self.open.resize(node + 1, Spent::default());
        }
        &mut self.open[node]
    }
}

/// What decides where a program's accesses go.
fn settings<A: Timeline>(memory: &A::Memory) -> Vec<String> {
    let all = 0..A::SETTINGS.len();
    all.map(|number| A::setting(memory, number)).collect()
}
