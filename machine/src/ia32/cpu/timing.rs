// SPDX-License-Identifier: Apache-2.0
//! Time. The Pentium 4 executes out of order; the model follows it by intervals (Karkhanis and Smith,
//! ISCA 2004; Eyerman, Eeckhout, Karkhanis and Smith, TOCS 2009): µops enter the window at the
//! machine's width, three a cycle, and what breaks that stream has its penalty. An instruction executes
//! when its operands are there; it leaves the window in order. So
//!
//! * what misses a cache delays those that need it, and overlaps with others, until the window is full;
//! * a mispredicted branch starts the stream anew after its own execution;
//! * what must be decoded enters an instruction a cycle, after its fetch from the second level;
//! * microcode and serialising instructions hold the stream up by their price.
//!
//! The machine's clock is the time at which an instruction enters the window. Times are in sixths of a
//! cycle ([`CYCLE`]).

use switchyard_translator::traces;

use crate::event::Cycle;
use crate::ia32::config::{Ia32Config, IA32_LINE_BYTES as LINE_BYTES};
use crate::ia32::cpu::predictor::Predictor;
use crate::ia32::isa::cost::{slot, Branch, Cost, Order, CYCLE, HALF};
use crate::ia32::isa::insn::reg::NONE;
use crate::ia32::memory::hierarchy::{Hierarchy, Sixth};
use crate::ia32::memory::pipeline::Pipeline;
use crate::platform::Platform;
use crate::state::{require, Damaged, Restorer, Saver, State};

/// Instructions in flight (SDM vol. 1, 2.6.1).
const WINDOW: usize = 126;
/// When instructions have retired is kept for so many, one after another; then for the last ones only, at the
/// beginning. A power of two.
const PLACES: usize = 1024;
const _: () = assert!(WINDOW == traces::WINDOW && WINDOW + traces::MOST_STEPS < PLACES);
/// A saved window is a ring of a power of two.
const RING: usize = 128;
/// What a µop takes of the time to enter: three enter a cycle (248966, 1).
const UOP: Sixth = (CYCLE / 3) as Sixth;
/// What a load or store takes of its port: each issues one a cycle (248966, 1, "execution units and
/// issue ports"; Hinton et al., Intel Technology Journal Q1 2001).
const PORT: Sixth = CYCLE as Sixth;
/// No time.
const NEVER: Sixth = Sixth::MAX;
/// No line of code.
const NO_LINE: u32 = u32::MAX;

/// The prices of what is no instruction, in sixths of a cycle.
#[derive(Debug, Clone, Copy)]
struct Prices {
    mispredicted: Sixth,
    interrupt: Sixth,
    port: Sixth,
    /// Walks whose reads hit the second level: for data, for code.
    walks: [Sixth; 2],
    /// What of that the two reads take.
    walk_reads: Sixth,
}

/// The stream of instructions, the window, and when what is there.
#[derive(Debug, Clone)]
pub struct Timing {
    /// The caches.
    pub caches: Hierarchy,
    predictor: Predictor,
    prices: Prices,
    /// When the next instruction enters.
    now: Sixth,
    /// How much of that time nothing entered: the rest is that of µops.
    held: Sixth,
    /// When what it may wait for is there.
    ready: [Sixth; slot::ROOM],
    /// When the last instruction so far has retired, in order.
    retired: Sixth,
    /// When those before it have: the one that enters next has place `next`, which is never the last, and
    /// [`WINDOW`] before it are those in flight at most.
    window: Box<[Sixth; PLACES]>,
    next: usize,
    /// How many have entered, but for `next`.
    moved: usize,
    /// Of the instruction that executes: when its operands are there, when its accesses can be made, and
    /// when all that they bring is there.
    start: Sixth,
    access: Sixth,
    there: Sixth,
    /// Whether it is locked.
    locks: bool,
    /// From when on the port of loads is free, and that of stores. Of what has entered each takes one a
    /// cycle, in order, whatever operands it waits for.
    load_port: Sixth,
    store_port: Sixth,
    /// From when on the walker is free.
    walker_free: Sixth,
    /// The line of code that was fetched last.
    fetched: u32,
}

impl Timing {
    /// An empty window in front of cold caches.
    #[must_use]
    pub fn new(config: &Ia32Config) -> Self {
        let sixths = |cycles: u32| Sixth::from(cycles) * Sixth::from(CYCLE);
        Self {
            caches: Hierarchy::new(config),
            predictor: Predictor::new(&config.branch),
            prices: Prices {
                mispredicted: sixths(config.branch.mispredicted),
                interrupt: sixths(config.price.interrupt),
                port: sixths(config.price.port),
                walks: [config.walk.data, config.walk.code].map(sixths),
                walk_reads: 2 * sixths(config.latency.l2),
            },
            now: 0,
            held: 0,
            ready: [0; slot::ROOM],
            retired: 0,
            window: Box::new([0; PLACES]),
            next: WINDOW,
            moved: 0usize.wrapping_sub(WINDOW),
            start: 0,
            access: 0,
            there: 0,
            locks: false,
            load_port: 0,
            store_port: 0,
            walker_free: 0,
            fetched: NO_LINE,
        }
    }

    /// The machine's clock may have gone on: the processor has slept.
    pub fn wake(&mut self, platform: &Platform) {
        self.pass(platform.cycle * Sixth::from(CYCLE));
    }

    /// The time up to `at` passes, and nothing enters.
    #[inline(always)]
    fn pass(&mut self, at: Sixth) {
        if at > self.now {
            self.held += at - self.now;
            self.now = at;
        }
    }

    /// Nothing enters before `at`.
    #[inline]
    fn hold(&mut self, at: Sixth, platform: &mut Platform) {
        if at > self.now {
            self.pass(at);
            platform.cycle = at / Sixth::from(CYCLE);
        }
    }

    // ---- translated code -------------------------------------------------------------------

    /// How many branches are known, and the shapes of the caches; `None`: translated code does not know how these
    /// replace lines.
    pub(super) fn tables(&self) -> Option<(usize, [traces::Ways; 2])> {
        Some((self.predictor.branches(), self.caches.lends()?))
    }

    /// The prices that translated instructions share.
    pub(super) fn shared_prices(&self) -> traces::Prices {
        traces::Prices {
            uop: UOP as u32,
            port: PORT as u32,
            load: self.caches.load_latency() as u32,
            early: HALF,
            mispredicted: self.prices.mispredicted as u32,
        }
    }

    /// Translated code begins: what of the last instruction is looked at when the next one cannot be fetched (its
    /// accesses follow those) is told by [`Self::came_back`].
    #[inline]
    pub(super) fn goes_out(&mut self) -> Sixth {
        std::mem::replace(&mut self.access, NEVER)
    }

    /// It has ended; `before` is what it began with.
    #[inline]
    pub(super) fn came_back(&mut self, before: Sixth) {
        if self.access == NEVER {
            self.access = before;
        } else {
            self.locks = false;
        }
    }

    /// What translated code goes on with, where programs see a time that is so far ahead.
    #[inline]
    pub(super) fn lend(
        &mut self,
        time_ahead: Cycle,
    ) -> (traces::Clock<'_>, traces::Caches<'_>, traces::Predictor<'_>) {
        let clock = traces::Clock {
            now: &mut self.now,
            held: &mut self.held,
            ahead: time_ahead,
            retired: &mut self.retired,
            access: &mut self.access,
            ready: &mut self.ready,
            load_port: &mut self.load_port,
            store_port: &mut self.store_port,
            window: &mut self.window[..],
            next: &mut self.next,
        };
        (clock, self.caches.lend(), self.predictor.lend())
    }

    // ---- instructions ----------------------------------------------------------------------

    /// The machine's clock when `cycle` begins.
    #[inline(always)]
    pub fn start_of(cycle: Cycle) -> Sixth {
        cycle.saturating_mul(Sixth::from(CYCLE))
    }

    /// Whether it is that late.
    #[inline(always)]
    pub fn has_come_to(&self, at: Sixth) -> bool {
        self.now >= at
    }

    /// An instruction that touches no memory enters the window and executes: it begins and finishes at
    /// once.
    #[inline(always)]
    pub fn pass_through(&mut self, cost: &Cost, platform: &mut Platform) {
        self.enter(platform);
        let done = self.operands_of(cost) + Sixth::from(cost.latency);
        for result in cost.results {
            self.ready[usize::from(result) % slot::ROOM] = done;
        }
        self.there = done;
        self.leave(cost, done);
    }

    /// Waits until there is room in the window.
    #[inline(always)]
    fn enter(&mut self, platform: &mut Platform) {
        let room = self.window[self.next.wrapping_sub(WINDOW) % PLACES];
        if room > self.now {
            self.wait_for_room(room, platform);
        }
    }

    /// When its operands are there, or else now.
    #[inline(always)]
    fn operands_of(&self, cost: &Cost) -> Sixth {
        let ready = |n: usize| self.ready[usize::from(cost.sources[n]) % slot::ROOM];
        self.now.max(ready(0)).max(ready(1)).max(ready(2))
    }

    /// What is done at `done` retires in its turn, and the next one can enter.
    #[inline(always)]
    fn leave(&mut self, cost: &Cost, done: Sixth) {
        self.retired = self.retired.max(done);
        self.window[self.next % PLACES] = self.retired;
        self.next += 1;
        if self.next == PLACES {
            self.move_window();
        }
        self.now += UOP * Sixth::from(cost.uops);
    }

    /// Keeps those in flight alone, at the beginning.
    #[inline(never)]
    pub fn move_window(&mut self) {
        let first = self.next - WINDOW;
        self.window.copy_within(first..self.next, 0);
        self.moved = self.moved.wrapping_add(first);
        self.next = WINDOW;
    }

    /// The next instruction enters the window: before it executes.
    #[inline(always)]
    pub fn begin(&mut self, cost: &Cost, platform: &mut Platform) {
        self.enter(platform);
        if cost.order >= Order::Serialises {
            self.serialise(cost.order, platform);
        }
        self.locks = cost.order == Order::Locks;
        self.start(cost);
    }

    /// The next one, which flows, enters the window.
    #[inline(always)]
    pub fn begin_flowing(&mut self, cost: &Cost, platform: &mut Platform) {
        self.enter(platform);
        self.locks = false;
        self.start(cost);
    }

    #[inline(always)]
    fn start(&mut self, cost: &Cost) {
        self.start = self.operands_of(cost);
        self.access = self.start;
        self.there = self.start;
    }

    #[inline(never)]
    fn wait_for_room(&mut self, room: Sixth, platform: &mut Platform) {
        platform.counters.now.stall.fill += (room - self.now) / Sixth::from(CYCLE);
        self.hold(room, platform);
    }

    #[inline(never)]
    fn wait_for_buffer(&mut self, free: Sixth, platform: &mut Platform) {
        platform.counters.now.stall.write_buffer += (free - self.now) / Sixth::from(CYCLE);
        self.hold(free, platform);
    }

    #[inline(never)]
    fn serialise(&mut self, order: Order, platform: &mut Platform) {
        let mut until = self.retired;
        if order == Order::Locks {
            // What has executed retires a pipeline later.
            until = until.max(self.caches.drained()) + self.prices.mispredicted;
        }
        self.hold(until, platform);
    }

    /// It has executed.
    #[inline(always)]
    pub fn finish(&mut self, cost: &Cost) {
        self.finish_flowing(cost);
        if cost.order != Order::Flows {
            self.finish_held(cost, self.there);
        }
    }

    /// It has executed, and the stream flows on.
    #[inline(always)]
    pub fn finish_flowing(&mut self, cost: &Cost) {
        let done = self.there + Sixth::from(cost.latency);
        self.there = done;
        for result in cost.results {
            self.ready[usize::from(result) % slot::ROOM] = done;
        }
        let early = usize::from(cost.early) % slot::ROOM;
        self.ready[early] = self.start + Sixth::from(HALF);
        self.leave(cost, done);
    }

    #[inline(never)]
    fn finish_held(&mut self, cost: &Cost, done: Sixth) {
        let until = match cost.order {
            Order::Microcode => self.now + Sixth::from(cost.latency),
            Order::Locks => done.max(self.caches.drained()) + self.prices.mispredicted,
            _ => done,
        };
        self.pass(until);
    }

    /// A repeated instruction begins, whose microcode takes so long before its first element.
    pub fn begin_repeat(&mut self, price: Sixth, platform: &mut Platform) {
        self.hold(self.now + price, platform);
    }

    /// One element of a repeated instruction is done, and the next one begins.
    pub fn next_element(&mut self, cost: &Cost, platform: &mut Platform) {
        self.finish(cost);
        self.begin(cost, platform);
        self.tell(platform);
    }

    /// It was a branch from before `after` to `next`, and has finished.
    pub fn branch(
        &mut self,
        branch: Branch,
        after: u32,
        next: u32,
        backward: bool,
        platform: &mut Platform,
    ) {
        let predicted = match branch {
            Branch::None => return,
            Branch::Conditional => self.predictor.conditional(after, next, backward),
            Branch::Indirect => self.predictor.indirect(after, next),
            Branch::Call => {
                self.predictor.call(after);
                true
            }
            Branch::IndirectCall => {
                self.predictor.call(after);
                self.predictor.indirect(after, next)
            }
            Branch::Return => self.predictor.returns(next),
        };
        let taken = next != after;
        let now = &mut platform.counters.now.branch;
        now.executed += 1;
        now.taken += u64::from(taken);
        if !predicted {
            self.mispredict(branch, taken, platform);
        }
    }

    /// The stream begins anew after the branch.
    #[inline(never)]
    fn mispredict(&mut self, branch: Branch, taken: bool, platform: &mut Platform) {
        let now = &mut platform.counters.now.branch;
        now.mispredicted += 1;
        now.mispredicted_taken += u64::from(taken);
        match branch {
            Branch::IndirectCall => now.mispredicted_calls += 1,
            Branch::Return => now.mispredicted_returns += 1,
            Branch::Indirect => now.mispredicted_jumps += 1,
            Branch::None | Branch::Conditional | Branch::Call => {}
        }
        self.hold(self.there + self.prices.mispredicted, platform);
    }

    /// An exception or interrupt has been delivered: its price, after its accesses.
    pub fn deliver(&mut self, platform: &mut Platform) {
        let done = self.now.max(self.retired).max(self.there) + self.prices.interrupt;
        self.hold(done, platform);
        self.retired = self.retired.max(done);
    }

    /// Before what the processor does by itself, an interrupt's delivery: its accesses follow what has
    /// retired.
    pub fn begin_event(&mut self, platform: &mut Platform) {
        self.wake(platform);
        self.hold(self.retired, platform);
        (self.start, self.access, self.there) = (self.now, self.now, self.now);
        self.ready[NONE] = 0;
    }
}

impl Pipeline for Timing {
    #[inline(always)]
    fn tell(&self, platform: &mut Platform) {
        platform.cycle = self.now / Sixth::from(CYCLE);
    }

    #[inline(always)]
    fn load(&mut self, pa: u32, bytes: u32, platform: &mut Platform) {
        let at = self.access.max(issue(&mut self.load_port, self.now));
        let now = &mut platform.counters.now;
        let mut there = if self.locks {
            now.dcache.reads += 1;
            self.caches.read(pa, at, now)
        } else {
            self.caches.load(pa, at, now)
        };
        if bytes > 1 && (pa ^ (pa + (bytes - 1))) >= LINE_BYTES {
            there = there.max(self.caches.load(pa + (bytes - 1), at, now));
        }
        self.there = self.there.max(there);
    }

    #[inline(always)]
    fn load_in(&mut self, pa: u32, slot: usize, platform: &mut Platform) -> bool {
        if self.locks || !self.caches.hits_in(pa, slot) {
            return false;
        }
        let at = self.access.max(issue(&mut self.load_port, self.now));
        let there = self.caches.hit(at, &mut platform.counters.now);
        self.there = self.there.max(there);
        true
    }

    fn slot_of(&self, pa: u32) -> Option<usize> {
        self.caches.slot_of(pa)
    }

    #[inline(always)]
    fn store(&mut self, pa: u32, bytes: u32, platform: &mut Platform) {
        self.there = self.there.max(issue(&mut self.store_port, self.now));
        let at = self.retired.max(self.there);
        let now = &mut platform.counters.now;
        let mut free = self.caches.store(pa, at, now);
        if bytes > 1 && (pa ^ (pa + (bytes - 1))) >= LINE_BYTES {
            free = free.max(self.caches.store(pa + (bytes - 1), at, now));
        }
        if free > self.now {
            self.wait_for_buffer(free, platform);
        }
    }

    fn access_device(&mut self) {
        self.there = self.there.max(self.caches.uncached(self.access));
    }

    fn access_port(&mut self, platform: &mut Platform) {
        let counted = &mut platform.counters.now.port;
        counted.accesses += 1;
        counted.cycles += self.prices.port / Sixth::from(CYCLE);
        let done = self.there.max(self.now) + self.prices.port;
        self.there = done;
        self.hold(done, platform);
    }

    fn empty_caches(&mut self, platform: &mut Platform) {
        let at = self.there.max(self.now);
        let done = self.caches.empty(at, &mut platform.counters.now);
        self.there = self.there.max(done);
        self.fetched = NO_LINE;
    }

    fn set_fills(&mut self, fills: bool) {
        self.caches.set_fills(fills);
    }

    fn begin_walk(&mut self, fetch: bool) -> Sixth {
        let from = if fetch { self.now } else { self.access };
        from.max(self.walker_free)
    }

    fn walk_read(&mut self, pa: u32, at: Sixth, platform: &mut Platform) -> Sixth {
        self.caches.read(pa, at, &mut platform.counters.now)
    }

    /// What its reads did not take of its price is added.
    fn end_walk(&mut self, at: Sixth, fetch: bool, platform: &mut Platform) {
        let price = self.prices.walks[usize::from(fetch)];
        let done = at + price.saturating_sub(self.prices.walk_reads);
        self.walker_free = done;
        if fetch {
            platform.counters.now.stall.walk += done.saturating_sub(self.now) / Sixth::from(CYCLE);
            self.hold(done, platform);
        } else {
            self.access = self.access.max(done);
            self.there = self.there.max(done);
        }
    }

    fn fetch_device(&mut self, platform: &mut Platform) {
        let there = self.caches.uncached(self.now);
        self.hold(there, platform);
        self.fetched = NO_LINE;
    }

    /// Lines of code are fetched ahead in order (248966, 1, "prefetching"); any other has to be waited for.
    fn build(&mut self, ends: [u32; 2], count: usize, uops: usize, platform: &mut Platform) {
        let began = self.now;
        for pa in ends {
            let line = pa / LINE_BYTES;
            if line == self.fetched {
                continue;
            }
            let ahead = line == self.fetched.wrapping_add(1);
            self.fetched = line;
            let now = &mut platform.counters.now;
            let hits = now.l2.read_misses;
            let there = self.caches.read(pa, self.now, now);
            if !ahead || now.l2.read_misses != hits {
                self.hold(there, platform);
            }
        }
        // The decoder takes an instruction a cycle (248966, 1), which these are still to take as µops.
        let decoding = Sixth::from(CYCLE) * count as Sixth;
        let rest = decoding.saturating_sub(UOP * uops as Sixth);
        self.hold(self.now + rest, platform);
        platform.counters.now.trace.build_cycles += (self.now - began) / Sixth::from(CYCLE);
    }

    fn uops(&self) -> u64 {
        (self.now - self.held) / UOP
    }
}

/// Issues by a port what enters at `now`: when. There is nothing else in its way but what entered before.
#[inline(always)]
fn issue(port: &mut Sixth, now: Sixth) -> Sixth {
    let at = now.max(*port);
    *port = at + PORT;
    at
}

impl State for Timing {
    fn save(&self, to: &mut Saver) {
        let Self {
            caches,
            predictor,
            prices: _, // the machine file gives them
            now,
            held,
            ready,
            retired,
            window,
            next,
            moved,
            start: _, // of an instruction that has executed
            access: _,
            there: _,
            locks: _,
            load_port,
            store_port,
            walker_free,
            fetched,
        } = self;
        caches.save(to);
        predictor.save(to);
        let mut awaited = *ready;
        awaited[usize::from(slot::SINK)] = 0;
        let entered = moved.wrapping_add(*next);
        let mut ring = vec![0; RING];
        for n in 1..=WINDOW {
            ring[entered.wrapping_sub(n) % RING] = window[next - n];
        }
        to.put(&(now, held, awaited, retired, entered));
        to.put(&(load_port, store_port, walker_free, fetched));
        to.put(&ring);
    }

    fn restore(&mut self, from: &mut Restorer) -> Result<(), Damaged> {
        self.caches.restore(from)?;
        self.predictor.restore(from)?;
        (self.now, self.held, self.ready, self.retired) = from.take()?;
        let entered: usize = from.take()?;
        (
            self.load_port,
            self.store_port,
            self.walker_free,
            self.fetched,
        ) = from.take()?;
        let window: Vec<Sixth> = from.take()?;
        let times = window.iter().chain(&self.ready);
        let sound = times
            .chain([&self.now, &self.retired, &self.walker_free])
            .chain([&self.load_port, &self.store_port])
            .all(|at| *at < 1 << 59);
        let right =
            sound && self.held <= self.now && self.ready[NONE] == 0 && entered < usize::MAX / 2;
        require(right, "has times that no machine gets to")?;
        require(window.len() == RING, "has another window than the machine")?;
        self.next = WINDOW;
        self.moved = entered.wrapping_sub(WINDOW);
        for n in 1..=WINDOW {
            self.window[WINDOW - n] = window[entered.wrapping_sub(n) % RING];
        }
        Ok(())
    }
}
