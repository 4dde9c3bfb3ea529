// SPDX-License-Identifier: Apache-2.0
// Replays windows of runs. `Side` is a machine behind a number of its steps, which goes forward by what
// each step has changed and back by what it has replaced; `timeline` says how two of them go together;
// all below draws them. Nothing of it knows an architecture but by what the window names.

// ---- the machine ------------------------------------------------------------------------------

// The parts of a step, as explore/page.py puts them.
const [CYCLES, INSTRUCTION, USER, SKIPPED, WAITED, COUNTED] = [0, 1, 2, 3, 4, 5];
const [REGISTERS, SYSTEM, ACCESSES, PLACES, EXCEPTION] = [6, 7, 8, 9, 10];
const KERNEL = -1, OTHER = -2; // owners that are no space
// How many places that an instruction has touched are described by themselves.
const DETAILS = 6;

class Side {
  constructor(given) {
    Object.assign(this, given);
    this.count = this.steps.length;
    this.done = 0;
    this.values = [...this.first.registers];
    this.control = [...this.first.system];
    this.rows = this.tables.map((table) => Array(table.sets * table.ways));
    this.owners = this.tables.map((table) => Array(table.sets * table.ways));
    this.relocates = this.system.includes("pid");
    this.space = this.spaceNow(0);
    for (const [table, place, ...row] of this.first.places) this.rows[table][place] = row;
    for (const [table, place, ...row] of this.first.places) {
      this.owners[table][place] = this.ownerOf(table, row, this.space);
    }
    this.at = [this.begin]; // the cycle behind so many steps
    for (const step of this.steps) this.at.push(this.at.at(-1) + step[CYCLES]);
    this.undo = [];
    this.totals = [this.causes.map(() => 0)];
    for (const step of this.steps) {
      this.undo.push(this.take(step));
      this.totals.push(this.totals.at(-1).map((sum, n) => sum + (step[WAITED] ? step[WAITED][n] : 0)));
    }
    this.full = this.snapshot();
    while (this.done > 0) this.back();
  }

  // The number of the space whose registers are in force; `otherwise` while that is being changed.
  spaceNow(otherwise) {
    const value = (name) => (this.system.includes(name) ? this.control[this.system.indexOf(name)] : 0);
    const table = value(["ttb", "cr3", "satp"].find((name) => this.system.includes(name)));
    const found = this.spaces.findIndex(([ttb, pid]) => ttb === table && pid === value("pid"));
    return found < 0 ? otherwise : found;
  }

  // Whose a line or translation is that came while `space` was in force.
  ownerOf(table, row, space) {
    if (this.tables[table].columns[0] === "physical") return OTHER; // no address of a space
    if (row[0] >= this.kernel) return KERNEL;
    return this.relocates ? this.ownerOfDomain(this.domainOf(table, row), space) : space;
  }

  // Who has a domain: the space whose DACR opens it; of several that which is in force.
  ownerOfDomain(domain, space) {
    const opens = ([, , dacr]) => ((dacr >>> (2 * domain)) & 3) !== 0;
    // domain 0 is the kernel's, unless programs have no other
    if (domain === 0 && this.spaces.some(([, , dacr]) => dacr > 3)) return KERNEL;
    if (this.spaces[space] && opens(this.spaces[space])) return space;
    const found = this.spaces.findIndex(opens);
    return found < 0 ? OTHER : found;
  }

  // The domain of a row: the entry's own, or by the page directory that of its megabyte.
  domainOf(table, row) {
    const { kind, columns } = this.tables[table];
    if (kind === "tlb") return row[columns.indexOf("domain")];
    const directory = this.tables.length - 1;
    const entry = kind === "directory" ? row : this.rows[directory][row[0] >>> 20];
    return entry ? (entry[1] >>> 5) & 15 : -1;
  }

  // Goes over a step; returns what it has replaced.
  take(step) {
    const old = { space: this.space, registers: [], system: [], places: [] };
    for (const [n, value] of step[REGISTERS] || []) {
      old.registers.push([n, this.values[n]]);
      this.values[n] = value;
    }
    for (const [n, value] of step[SYSTEM] || []) {
      old.system.push([n, this.control[n]]);
      this.control[n] = value;
    }
    this.space = this.spaceNow(this.space);
    for (const [table, place, ...row] of step[PLACES] || []) {
      const was = this.rows[table][place];
      old.places.push([table, place, was, this.owners[table][place]]);
      this.rows[table][place] = row.length ? row : undefined;
      const stays = was && row.length && was[0] === row[0];
      if (row.length && !stays) this.owners[table][place] = this.ownerOf(table, row, this.space);
    }
    this.done += 1;
    return old;
  }

  forward() {
    this.take(this.steps[this.done]);
  }

  back() {
    this.done -= 1;
    const old = this.undo[this.done];
    this.space = old.space;
    for (const [n, value] of old.registers) this.values[n] = value;
    for (const [n, value] of old.system) this.control[n] = value;
    for (const [table, place, row, owner] of old.places.toReversed()) {
      this.rows[table][place] = row;
      this.owners[table][place] = owner;
    }
  }

  goTo(done) {
    while (this.done < done) this.forward();
    while (this.done > done) this.back();
  }

  get user() {
    return this.done ? this.steps[this.done - 1][USER] === 1 : this.program === 1;
  }

  get cycles() {
    return this.at[this.done] - this.begin;
  }

  // Everything, as text: for comparisons.
  snapshot() {
    const rows = this.rows.map((table) => table.flatMap((row, place) => (row ? [[place, ...row]] : [])));
    return { cycle: this.at[this.done], registers: [...this.values], system: [...this.control], rows };
  }

  // The place in a table that holds the line or translation of an address.
  find(number, address) {
    const { sets, ways, unit, columns } = this.tables[number];
    const rows = this.rows[number];
    const first = unit ? (Math.floor(address / unit) % sets) * ways : 0;
    for (let place = first; place < first + ways; place += 1) {
      const row = rows[place];
      if (!row) continue;
      const size = unit || row[columns.indexOf("size")];
      if (row[0] === Math.floor(address / size) * size) return place;
    }
    return -1;
  }
}

// Behind how many steps both sides are, position by position: by time from each mark on, at which the
// one that is there first waits. `ends` are the marks, a number of steps for each side.
function timeline(sides, ends) {
  const positions = [sides.map(() => 0)];
  for (let n = 1; n < ends.length; n += 1) {
    const now = [...ends[n - 1]];
    for (;;) {
      const next = sides.map((side, s) => {
        const since = side.at[ends[n - 1][s]];
        return now[s] < ends[n][s] ? side.at[now[s] + 1] - since : Infinity;
      });
      const soonest = Math.min(...next);
      if (soonest === Infinity) break;
      next.forEach((time, s) => {
        if (time === soonest) now[s] += 1;
      });
      positions.push([...now]);
    }
  }
  return positions;
}

// ---- words ------------------------------------------------------------------------------------

const hex = (value, digits = 8) => (value < 0 ? value >>> 0 : value).toString(16).padStart(digits, "0");
const number = (value) => value.toLocaleString("en");
const plural = (n, word) => `${number(n)} ${word}${n === 1 ? "" : "s"}`;
const letter = (space) => String.fromCharCode(65 + space);
const cycles = (n) => plural(n, "cycle");

const KINDS = {
  mark: ["to the kernel, to a program", "--ink"],
  switch: ["switch of address spaces", "--switch"],
  flush: ["flush", "--dirty"],
  fault: ["fault, interrupt", "--space-1"],
  directory: ["page directory, domains", "--space-3"],
  tlb: ["TLB miss", "--space-0"],
  fill: ["line filled", "--space-2"],
  "write-back": ["written back", "--kernel"],
};
const CAUSES = {
  operand: ["waiting for an operand", "--operand"],
  turn: ["waiting for their turn", "--operand"],
  fetch_fill: ["filling instruction lines", "--fetch-fill"],
  fetch_walk: ["walking page tables", "--walk"],
  data_fill: ["filling data lines", "--data-fill"],
  data_walk: ["walking page tables", "--walk"],
  write_buffer: ["waiting for the write buffer", "--buffer"],
  idle: ["asleep", "--idle"],
};
const REASONS = {
  operand: (n) => `waits ${cycles(n)} for an operand that is not there yet`,
  turn: (n) => `waits ${cycles(n)} for its turn, as what is before it is not done`,
  fetch_walk: (n) => `instruction TLB miss, the page tables are walked: ${cycles(n)}`,
  fetch_fill: (n, missed) => `${missed ? "instruction cache miss" : "waits for the rest of its line"}: ${cycles(n)}`,
  data_walk: (n) => `data TLB miss, the page tables are walked: ${cycles(n)}`,
  data_fill: (n, missed) => `${missed ? "data cache miss" : "waits for the rest of a line"}: ${cycles(n)}`,
  write_buffer: (n) => `waits for the write buffer: ${cycles(n)}`,
  idle: (n) => `sleeps ${cycles(n)}`,
};
// The counters that say that a line was not there; without one the line is on its way.
const MISSES = { fetch_fill: /^(icache|trace_cache|l2)\w*misses/, data_fill: /^(dcache|minicache|l2)\w*misses/ };
const ACCESS = ["denied", "open, permissions are checked", "reserved", "open, nothing is checked"];
// Events of which a step is told that it is part.
const TOLD = new Set(["mark", "switch", "flush", "fault", "directory"]);
const DONE = {
  icache_invalidate_all: "the instruction cache is emptied",
  dcache_invalidate_all: "the data cache is emptied",
  itlb_invalidate_all: "the instruction TLB is emptied",
  dtlb_invalidate_all: "the data TLB is emptied",
  dcache_clean_line: "a line is cleaned",
  dcache_invalidate_line: "a line of the data cache is invalidated",
  itlb_invalidate_entry: "an entry of the instruction TLB is invalidated",
  dtlb_invalidate_entry: "an entry of the data TLB is invalidated",
  write_buffer_drains: "the write buffer is drained",
  dcache_writebacks: "half lines are written back",
};

// What an exception is, in a sentence; what is not here has its own words.
const TAKEN = [
  [/^swi|^int\b|sysenter/i, "the program calls the kernel"],
  [/irq|fiq|interrupt/i, "a device wants something: the kernel is called"],
  [/abort|page|#pf/i, "the page cannot be used: the kernel is called"],
];
const FAULTS = [
  [/translation|not present/i, "the table has no entry for this page: the kernel is called"],
  [/domain/i, "the domain of this page is closed: the kernel is called"],
  [/permission|protection/i, "the program may not do this to this page: the kernel is called"],
];
function taken(words) {
  const whole = words.join(", ");
  const known = [...FAULTS, ...TAKEN].find(([pattern]) => pattern.test(whole));
  return known ? `${known[1]} (${whole})` : `exception: ${whole}`;
}

// What it means that a register of the system changes, where that can be said.
const CONTROL = {
  ttb: "from now on another space's page table is walked",
  cr3: "from now on another space's page directory is walked, and the TLBs are emptied",
  satp: "from now on another space's page table is walked; what the TLBs have stays until SFENCE.VMA",
  dacr: "other domains are open now",
  pid: "low addresses mean another slot now",
};

// What a step was, in sentences: first what happened, at the end the registers.
function told(side, step) {
  const said = [];
  if (step[EXCEPTION]) said.push(taken(step[EXCEPTION]));
  for (const [n] of step[SYSTEM] || []) if (CONTROL[side.system[n]]) said.push(CONTROL[side.system[n]]);
  const counts = (step[COUNTED] || []).map(([n]) => side.counters[n]);
  (step[WAITED] || []).forEach((n, cause) => {
    const name = side.causes[cause];
    if (n) said.push(REASONS[name](n, counts.some((counted) => MISSES[name]?.test(counted))));
  });
  const waited = (step[WAITED] || []).reduce((sum, n) => sum + n, 0);
  const issued = step[CYCLES] - waited;
  const past = counts.some((name) => name.startsWith("uncached"));
  if (past) said.push(`goes past the caches, to the bus: ${cycles(issued)}`);
  else if (issued > 1) said.push(waited ? `execution: ${cycles(issued)}` : `takes ${cycles(issued)}`);
  if (step[SKIPPED]) said.push("its condition does not hold, so it does nothing");
  const accesses = step[ACCESSES] || [];
  for (const [store, address, value] of accesses.slice(0, 3)) {
    said.push(store ? `stores ${hex(value)} at ${hex(address)}` : `loads ${hex(value)} from ${hex(address)}`);
  }
  if (accesses.length > 3) said.push(`and ${accesses.length - 3} more`);
  for (const name of counts) if (DONE[name]) said.push(DONE[name]);
  for (const [n, value] of step[SYSTEM] || []) {
    if (side.system[n] !== "buffered") said.push(`${side.system[n]} becomes ${hex(value)}`);
  }
  return said;
}

// What caches and TLBs hold at the beginning, counted.
function warm(side) {
  const parts = side.tables.flatMap(({ name, kind }, n) => {
    const full = side.rows[n].filter(Boolean).length;
    return kind === "directory" ? [] : [`${name} ${full === 0 ? "empty" : `${full} of ${side.rows[n].length}`}`];
  });
  return parts.join(", ");
}

// What a place holds.
function held(side, table, place) {
  const { name, kind, sets, ways, columns } = side.tables[table];
  const row = side.rows[table][place];
  let where = name;
  if (kind === "cache") where += `, set ${Math.floor(place / ways)}, way ${place % ways}`;
  if (kind === "tlb") where += `, entry ${place}`;
  if (!row) return `${where}: empty`;
  const value = (column) => row[columns.indexOf(column)];
  const has = (column) => columns.includes(column);
  const parts = columns[0] === "address" ? [hex(row[0])] : [];
  if (has("physical")) parts.push(`memory at ${hex(value("physical"))}`);
  if (has("asid")) parts.push(`ASID ${value("asid")}`);
  if (has("size")) parts.push(value("size") < 1 << 20 ? `${value("size") >> 10} KB` : `${value("size") >> 20} MB`);
  if (has("domain")) parts.push(`domain ${value("domain")}`);
  const subpage = (n) => (value("permissions") >> (2 * n)) & 3;
  if (has("permissions")) parts.push(`permissions ${[3, 2, 1, 0].map(subpage).join("")}`);
  if (has("cb")) parts.push(value("cb") & 2 ? "cached" : "not cached", value("cb") & 1 ? "buffered" : "not buffered");
  if (has("descriptor")) parts.push(`descriptor ${hex(value("descriptor"))}`);
  if (kind === "directory" && side.relocates) parts.push(`domain ${side.domainOf(table, row)}`);
  if (has("dirty") && sets) parts.push(["clean", "first half dirty", "second half dirty", "dirty"][value("dirty") & 3]);
  if (has("user")) parts.push(value("user") ? "for programs" : "for the kernel");
  const owner = side.owners[table][place];
  const names = { [KERNEL]: "the kernel's", [OTHER]: "another space's" };
  if (kind !== "directory" && columns[0] === "address") parts.push(names[owner] ?? `space ${letter(owner)}'s`);
  return `${where}: ${parts.join(", ")}`;
}

// ---- the page ---------------------------------------------------------------------------------

function element(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  Object.assign(made, properties);
  made.append(...children);
  return made;
}

function swatch(of) {
  const made = element("i", { className: "swatch" });
  made.style.background = `var(${of})`;
  return made;
}

const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const byId = (id) => document.getElementById(id);
const className = (owner) => (owner === KERNEL ? "owner-k" : owner === OTHER ? "owner-x" : `owner-${owner % 4}`);

class View {
  constructor(side, index, go) {
    this.side = side;
    this.root = byId("side").content.firstElementChild.cloneNode(true);
    this.root.id = `side-${index}`;
    const find = (selector) => this.root.querySelector(selector);
    const names = ["now", "cycles", "time", "waits", "bar", "costs", "listing", "said", "detail", "tip"];
    this.parts = Object.fromEntries(names.map((name) => [name, find(`.${name}`)]));
    find(".name").textContent = side.label;
    find(".does").textContent = side.does;
    this.bars = [element("i"), ...side.causes.map(() => element("i"))];
    this.bars[0].style.background = "var(--issue)";
    side.causes.forEach((cause, n) => (this.bars[n + 1].style.background = `var(${CAUSES[cause][1]})`));
    this.parts.bar.append(...this.bars);
    // on the left what instructions go through, on the right what data do
    const columns = [element("div"), element("div")];
    find(".parts").append(...columns);
    const column = ({ name }) => columns[/^(instruction|trace|page)/.test(name) ? 0 : 1];
    this.cells = side.tables.map((table, n) => this.table(table, n, column(table)));
    this.domains = side.system.includes("dacr") ? this.dacr(columns[1]) : null;
    this.buffer = side.system.includes("buffered") ? element("span") : null;
    if (this.buffer) columns[1].append(element("h3", {}, "write buffer ", this.buffer));
    this.names = side.registers.concat(side.system);
    this.registers = this.names.map((name) => {
      const value = element("dd");
      const entry = element("div", {}, element("dt", { textContent: name }), value);
      find(".registers dl").append(entry);
      return { entry, value };
    });
    this.listEvents(find(".events"), go);
    for (const kind of ["pointerover", "click"]) this.root.addEventListener(kind, (event) => this.explain(event.target));
    this.root.addEventListener("pointerleave", () => (this.parts.tip.hidden = true));
    byId("sides").append(this.root);
  }

  // The squares of a table, by place.
  table(table, number, into) {
    const { name, kind, sets, ways } = table;
    const count = element("span");
    const cells = element("div", { className: `cells ${kind}` });
    const part = element("div", { className: "part" }, element("h3", {}, `${name} `, count), cells);
    if (kind === "directory") {
      into.append(part);
      return { number, kind, count, cells };
    }
    const squares = Array.from({ length: sets * ways }, (_, place) => element("i", { className: "cell" }));
    squares.forEach((square, place) => (square.dataset.cell = `${number} ${place}`));
    if (kind === "cache") {
      // a set is a row where it has many ways, else a column
      const across = ways >= 16 ? ways : Math.min(sets, 64);
      cells.style.gridTemplateColumns = `repeat(${across}, 1fr)`;
      if (ways < 16) {
        squares.forEach((square, place) => {
          const set = Math.floor(place / ways);
          square.style.gridColumn = (set % across) + 1;
          square.style.gridRow = Math.floor(set / across) * ways + (place % ways) + 1;
        });
      }
      if (sets * ways <= 64) cells.style.maxWidth = `${across * 0.8}rem`;
    }
    cells.append(...squares);
    into.append(part);
    return { number, kind, count, squares, shown: squares.map(() => "cell") };
  }

  dacr(into) {
    const squares = Array.from({ length: 16 }, (_, n) => element("i", { className: "cell", textContent: n }));
    const words = element("span");
    const title = element("h3", {}, "domains (DACR) ", words);
    into.append(element("div", { className: "part" }, title, element("div", { className: "cells dacr" }, ...squares)));
    return { squares, words };
  }

  listEvents(details, go) {
    const { side } = this;
    const priced = side.events.filter(([kind]) => !["fill", "write-back"].includes(kind));
    details.querySelector("summary").textContent = `${plural(priced.length, "event")} and what they cost`;
    details.querySelector("div").ariaLabel = `Events: ${side.label}`;
    for (const [kind, first, , text, price] of priced) {
      const jump = element("button", { textContent: number(side.at[first] - side.begin) });
      jump.onclick = () => go(side, first + 1);
      const words = element("td", { className: "word" }, swatch(KINDS[kind][1]), `${kind}: ${text}`);
      const row = element("tr", {}, element("td", {}, jump), words, element("td", { textContent: number(price) }));
      details.querySelector("tbody").append(row);
    }
  }

  // What a square holds, below it, or above where there is no room, and inside the window.
  explain(target) {
    const { tip } = this.parts;
    const square = target.closest?.("[data-cell]");
    tip.hidden = !square;
    if (!square) return;
    tip.textContent = held(this.side, ...square.dataset.cell.split(" ").map(Number));
    const [at, box] = [square.getBoundingClientRect(), tip.getBoundingClientRect()];
    const room = document.documentElement.clientWidth - box.width - 4;
    const below = at.bottom + 6;
    tip.style.left = `${Math.max(4, Math.min(at.left, room))}px`;
    tip.style.top = `${below + box.height < innerHeight ? below : at.top - box.height - 6}px`;
  }

  draw(waits) {
    const { side, parts } = this;
    const step = side.done ? side.steps[side.done - 1] : null;
    const name = `space ${letter(side.space)}`;
    const chip = element("span", { textContent: side.user ? `${name}, program` : `kernel, in ${name}` });
    chip.className = `chip ${className(side.user ? side.space : KERNEL)}`;
    parts.now.replaceChildren(chip);
    parts.cycles.textContent = number(side.cycles);
    parts.time.textContent = `${((side.cycles / side.hz) * 1e6).toFixed(2)} µs`;
    parts.waits.textContent = waits;
    parts.tip.hidden = true; // it may hold something else now
    this.drawCosts();
    this.drawListing();
    this.drawSaid(step);
    this.drawRegisters(step);
    const used = this.usedBy(step);
    for (const table of this.cells) {
      if (table.kind === "directory") this.drawDirectory(table, step);
      else this.drawTable(table, step, used);
    }
    const touched = [...(step?.[PLACES] || []), ...used];
    const told = [...new Set(touched.map(([table, place]) => held(side, table, place)))];
    const shown = told.slice(0, DETAILS);
    if (told.length > DETAILS) shown.push(`and ${told.length - DETAILS} more`);
    parts.detail.replaceChildren(...shown.map((text) => element("span", { textContent: text })));
  }

  drawCosts() {
    const { side } = this;
    const sums = side.totals[side.done];
    const waited = sums.reduce((sum, n) => sum + n, 0);
    const all = [side.cycles - waited, ...sums];
    all.forEach((n, i) => (this.bars[i].style.width = `${(100 * n) / View.longest}%`));
    const named = new Map([["executing", [all[0], "--issue"]]]);
    side.causes.forEach((cause, n) => {
      const [name, of] = CAUSES[cause];
      named.set(name, [(named.get(name)?.[0] ?? 0) + sums[n], of]);
    });
    this.parts.costs.replaceChildren(
      ...[...named].flatMap(([name, [n, of]]) => {
        return n ? [element("span", {}, swatch(of), `${name} ${number(n)}`), " "] : [];
      }),
    );
  }

  drawListing() {
    const { side } = this;
    const rows = [];
    for (let n = side.done - 4; n < side.done + 3; n += 1) {
      const step = side.steps[n];
      const row = element("div", { className: "row" });
      row.setAttribute("role", "row");
      if (step) {
        const [pc, place, text] = side.instructions[step[INSTRUCTION]];
        const cost = n < side.done ? `+${number(step[CYCLES])}` : "";
        const words = text || `(${(step[EXCEPTION] || [""])[0]})`;
        const cells = [["cost", cost], ["place", place || hex(pc)], ["text", words]];
        for (const [name, content] of cells) {
          const cell = element("span", { className: name, textContent: content, title: content });
          cell.setAttribute("role", "cell");
          row.append(cell);
        }
        if (n < side.done && step[CYCLES] >= 10) row.firstChild.classList.add("dear");
        if (n === side.done - 1) row.classList.add("current");
        if (n === side.done) row.classList.add("next");
      }
      rows.push(row);
    }
    this.parts.listing.replaceChildren(...rows);
  }

  drawSaid(step) {
    const { side, parts } = this;
    if (!step) {
      const next = hex(side.instructions[side.steps[0][INSTRUCTION]][0]);
      parts.said.textContent = `As what ran before has left the caches: ${warm(side)}. The next instruction is at ${next}.`;
      return;
    }
    const index = side.done - 1;
    const of = side.events.filter(([kind, first, last]) => TOLD.has(kind) && first <= index && index <= last);
    const lines = of.map(([kind, first, last, text, price]) => {
      const part = last > first ? ` (step ${index - first + 1} of ${last - first + 1}; ${cycles(price)} in all)` : "";
      const name = kind === "mark" ? text : `${kind}: ${text}`;
      const line = element("span", { className: "event", textContent: `${name}${part}.` });
      line.style.color = `var(${KINDS[kind][1]})`;
      return line;
    });
    const said = told(side, step);
    const words = said.length ? said.join("; ") : "one cycle";
    const sentence = `${words[0].toUpperCase()}${words.slice(1)}.`;
    parts.said.replaceChildren(...lines.flatMap((line) => [line, " "]), sentence);
  }

  drawRegisters(step) {
    const { side } = this;
    const system = (step?.[SYSTEM] || []).map(([n]) => n + side.registers.length);
    const changed = new Set([...(step?.[REGISTERS] || []).map(([n]) => n), ...system]);
    [...side.values, ...side.control].forEach((value, n) => {
      const { entry, value: shown } = this.registers[n];
      shown.textContent = hex(value);
      entry.classList.toggle("changed", changed.has(n));
    });
    if (this.buffer) {
      const waiting = side.control[side.system.indexOf("buffered")];
      this.buffer.textContent = waiting ? `${plural(waiting, "write")} on the way to memory` : "empty";
    }
    if (!this.domains) return;
    const dacr = side.control[side.system.indexOf("dacr")];
    const pid = side.control[side.system.indexOf("pid")];
    this.domains.squares.forEach((square, n) => {
      const access = (dacr >>> (2 * n)) & 3;
      square.className = `cell ${access ? className(side.ownerOfDomain(n, side.space)) : ""}`;
      square.title = `domain ${n}: ${ACCESS[access]}`;
    });
    const open = this.domains.squares.flatMap((_, n) => ((dacr >>> (2 * n)) & 3 ? [n] : []));
    this.domains.words.textContent = `${hex(dacr)}: open ${open.join(", ") || "none"}; PID slot ${pid >>> 25}`;
  }

  // The places that the step has looked at: table and place.
  usedBy(step) {
    const { side } = this;
    if (!step || !side.relocates) return [];
    const used = [];
    const pc = side.instructions[step[INSTRUCTION]][0];
    const pid = side.control[side.system.indexOf("pid")];
    const fetched = pc < 1 << 25 ? pc + pid : pc;
    side.tables.forEach(({ name, kind }, n) => {
      const data = (step[ACCESSES] || []).map(([, address]) => address);
      // a TLB that is neither the instructions' nor the data's is both
      const addresses = name.startsWith("instruction") ? [fetched] : name === "TLB" ? [fetched, ...data] : data;
      if (kind !== "directory") for (const address of addresses) used.push([n, side.find(n, address)]);
    });
    return used.filter(([, place]) => place >= 0);
  }

  drawTable({ number: n, kind, count, squares, shown }, step, used) {
    const { side } = this;
    const { columns } = side.tables[n];
    const [dirty, domain] = [columns.indexOf("dirty"), columns.indexOf("domain")];
    const dacr = side.control[side.system.indexOf("dacr")];
    const changed = new Set((step?.[PLACES] || []).filter(([table]) => table === n).map(([, place]) => place));
    const looked = new Set(used.filter(([table]) => table === n).map(([, place]) => place));
    let [full, unclean] = [0, 0];
    squares.forEach((square, place) => {
      const row = side.rows[n][place];
      let name = "cell";
      if (row) {
        full += 1;
        name += ` ${className(side.owners[n][place])}`;
        if (dirty > 0 && row[dirty]) {
          unclean += 1;
          name += " dirty";
        }
        if (domain > 0 && ((dacr >>> (2 * row[domain])) & 3) === 0) name += " closed";
      }
      if (changed.has(place)) name += " new";
      else if (looked.has(place)) name += " used";
      if (kind === "tlb" && domain > 0) {
        const text = row ? String(row[domain]) : "";
        if (square.textContent !== text) square.textContent = text;
      }
      if (shown[place] !== name) square.className = shown[place] = name;
    });
    const noun = kind === "cache" ? "lines" : "entries";
    count.textContent = `${full} of ${squares.length} ${noun}${dirty > 0 ? `, ${unclean} dirty` : ""}`;
  }

  drawDirectory({ number: n, count, cells }, step) {
    const { side } = this;
    const changed = new Set((step?.[PLACES] || []).filter(([table]) => table === n).map(([, place]) => place));
    let kernels = 0;
    const shown = [];
    side.rows[n].forEach((row, place) => {
      if (row && row[0] >= side.kernel) kernels += 1;
      if (!(row && row[0] < side.kernel) && !changed.has(place)) return;
      const domain = row && side.relocates ? `:${side.domainOf(n, row)}` : "";
      const owner = row ? className(side.ownerOf(n, row, side.space)) : "";
      const cell = element("i", { className: `cell ${owner}${changed.has(place) ? " new" : ""}` });
      cell.textContent = `${hex(place * side.tables[n].unit).slice(0, 3)}${domain}`;
      cell.dataset.cell = `${n} ${place}`;
      shown.push(cell);
    });
    cells.replaceChildren(...shown);
    const entries = shown.length === 1 ? "entry" : "entries";
    count.textContent = `${shown.length} ${entries} of programs, ${kernels} of the kernel`;
  }
}

// ---- together ---------------------------------------------------------------------------------

// Numbers that are longer than 53 bits stand there as text (explore/page.py).
const LONG = /^0x[0-9a-f]{16}$/;
const exact = (_, value) => (typeof value === "string" && LONG.test(value) ? BigInt(value) : value);
const given = JSON.parse(byId("given").textContent, exact);
const sides = given.sides.map((one) => new Side(one));
View.longest = Math.max(...sides.map((side) => side.at[side.count] - side.begin));
const positions = timeline(sides, given.marks.map(({ at }) => at));
// The first position at which a side is behind so many steps.
const reached = sides.map((side, s) => {
  const found = [];
  positions.forEach((position, p) => (found[position[s]] ??= p));
  return found;
});
const last = positions.length - 1;
let position = 0;
let timer = 0;
const asked = new Set(["mark", "switch", "flush", "fault", "directory", "tlb"]);

const views = sides.map((side, index) => new View(side, index, (of, done) => go(reached[sides.indexOf(of)][done])));
const slider = byId("slider");
slider.max = last;

// Positions of the events that are asked for, in order.
function stops() {
  const found = new Set();
  sides.forEach((side, s) => {
    for (const [kind, first] of side.events) if (asked.has(kind)) found.add(reached[s][first + 1]);
  });
  return [...found].sort((a, b) => a - b);
}

function go(to, remember = true) {
  position = Math.max(0, Math.min(last, to));
  sides.forEach((side, s) => {
    side.goTo(positions[position][s]);
    views[s].draw(sides.length > 1 && waits(s) ? `paused until ${sides[1 - s].label} gets here` : "");
  });
  slider.value = position;
  const here = `step ${number(position)} of ${number(last)}`;
  byId("where").textContent = here;
  slider.setAttribute("aria-valuetext", here);
  byId("back").disabled = byId("first").disabled = position === 0;
  byId("step").disabled = byId("last").disabled = position === last;
  const found = stops();
  byId("event-back").disabled = !found.some((at) => at < position);
  byId("event-on").disabled = !found.some((at) => at > position);
  for (const button of byId("chapters").children) {
    button.setAttribute("aria-current", Number(button.dataset.at) === position);
  }
  if (remember) history.replaceState(null, "", `#${position}`);
}

// Whether a side has reached the mark at which it waits for the other.
function waits(s) {
  const done = positions[position];
  const mark = given.marks.find(({ at }) => at[s] === done[s]);
  return Boolean(mark) && mark.at[1 - s] > done[1 - s];
}

function toEvent(direction) {
  const found = stops();
  const to = direction > 0 ? found.find((at) => at > position) : found.findLast((at) => at < position);
  if (to !== undefined) go(to);
}

function run(on) {
  clearInterval(timer);
  timer = 0;
  if (on) {
    timer = setInterval(() => {
      if (position === last) run(false);
      else go(position + 1, false);
    }, Number(byId("speed").value));
  }
  byId("play").setAttribute("aria-pressed", on);
  byId("play").textContent = on ? "stop" : "run";
}

// The events above the slider, a strip for each side.
function drawTicks() {
  const canvas = byId("ticks");
  const { width, height } = canvas.getBoundingClientRect();
  const scale = devicePixelRatio || 1;
  canvas.width = width * scale;
  canvas.height = height * scale;
  const pen = canvas.getContext("2d");
  pen.scale(scale, scale);
  const inset = 8; // the slider's thumb is so far from its ends
  const x = (at) => inset + ((width - 2 * inset) * at) / last;
  const strip = height / sides.length;
  sides.forEach((side, s) => {
    pen.fillStyle = colour("--empty");
    pen.fillRect(inset, s * strip, width - 2 * inset, strip - 2);
    for (const kind of Object.keys(KINDS).toReversed()) {
      if (!asked.has(kind)) continue;
      pen.fillStyle = colour(KINDS[kind][1]);
      for (const [of, first, end] of side.events) {
        if (of !== kind) continue;
        const [from, to] = [x(reached[s][first + 1]), x(reached[s][end + 1])];
        pen.fillRect(from, s * strip, Math.max(1.5, to - from), strip - 2);
      }
    }
  });
}

for (const [kind, [words, of]] of Object.entries(KINDS)) {
  const box = element("input", { type: "checkbox", checked: asked.has(kind) });
  byId("kinds").append(element("label", {}, box, swatch(of), words), " ");
  box.addEventListener("change", () => {
    box.checked ? asked.add(kind) : asked.delete(kind);
    drawTicks();
    go(position);
  });
}
const most = Math.max(...sides.map((side) => side.spaces.length));
byId("legend-spaces").append(
  ...Array.from({ length: Math.min(most, 4) }, (_, n) => element("i", { className: `cell owner-${n}` })),
  ` ${most === 1 ? "space" : "spaces"} ${Array.from({ length: Math.min(most, 4) }, (_, n) => letter(n)).join(", ")}`,
);
byId("legend-closed").hidden = !sides.some(({ system }) => system.includes("dacr"));
for (const { at, name } of given.marks.slice(1, -1)) {
  const place = Math.max(...at.map((done, s) => reached[s][done])); // when the last is there
  const button = element("button", { textContent: name, onclick: () => go(place) });
  button.dataset.at = place;
  byId("chapters").append(button);
}
// Straight to what a page is about: the first of its kind on a side, as a position.
function firstOf(s, kinds, from = 0, words = "") {
  const event = sides[s].events.find(
    ([kind, first, , text]) => kinds.includes(kind) && first >= from && text.includes(words),
  );
  return event && reached[s][event[1] + 1];
}
// The step after which the next program runs: the first that comes after a switch.
function resumed({ events }) {
  const [, , switched] = events.find(([kind]) => kind === "switch") || [0, 0, Infinity];
  const mark = events.find(([kind, first, , text]) => kind === "mark" && first > switched && text.endsWith("resumes"));
  return mark ? mark[2] + 1 : Infinity;
}
const JUMPS = {
  flush: ["the flush", "--dirty", (s) => firstOf(s, ["flush"])],
  switch: ["the switch", "--switch", (s) => firstOf(s, ["switch"])],
  miss: ["next program\u2019s first miss", "--space-2", (s) => firstOf(s, ["fill", "tlb"], resumed(sides[s]))],
  fault: ["the fault", "--space-1", (s) => firstOf(s, ["fault"])],
};
sides.forEach((side, s) => {
  const found = Object.entries(JUMPS)
    .map(([name, [words, of, find]]) => ({ name, words, of, at: find(s) }))
    .filter(({ at }) => at !== undefined)
    .sort((a, b) => a.at - b.at);
  if (!found.length) return;
  const group = element("span", { className: "jump-group", role: "group", ariaLabel: side.label });
  group.dataset.of = s;
  group.append(...(sides.length > 1 ? [element("b", { textContent: side.label })] : []));
  for (const { name, words, of, at } of found) {
    group.append(element("button", { onclick: () => jump(name, s, at) }, swatch(of), words));
  }
  byId("jumps").append(group);
});
function jump(name, s, at) {
  show(s);
  go(at);
  const told = guide.findIndex(({ dataset }) => dataset.at === name || dataset.at === `${name}/${s}`);
  if (told >= 0) look(told, false);
}
// What there is to see, one after the other, and where each of it is (LOOK in explore/looks.py): on the
// side that is named, or on the one that has it first.
function placeOf(where) {
  const [name, named] = where.split("/");
  const any = (find) => {
    const found = sides.map((_, s) => (named === undefined || Number(named) === s ? find(s) : undefined));
    return Math.min(...found.filter((at) => at !== undefined));
  };
  const saying = (words) => any((s) => firstOf(s, Object.keys(KINDS), 0, words));
  const places = { begin: 0, end: last, recycled: saying("recycled"), slot: saying("pid") };
  return name in JUMPS ? any(JUMPS[name][2]) : places[name];
}
const guide = [...document.querySelectorAll("#guide li")];
function look(index, move = true) {
  guide.forEach((one, n) => one.classList.toggle("shown", n === index));
  byId("guide-where").textContent = `${index + 1} of ${guide.length}`;
  byId("guide-back").disabled = index === 0;
  byId("guide-on").disabled = index === guide.length - 1;
  byId("guide-back").onclick = () => look(index - 1);
  byId("guide-on").onclick = () => look(index + 1);
  if (!move) return;
  const where = guide[index].dataset.at;
  const at = placeOf(where);
  if (Number.isFinite(at)) go(at);
  if (where.includes("/")) show(Number(where.split("/")[1]));
  if (where === "end") byId("stretches-title").scrollIntoView({ block: "nearest", behavior: "smooth" });
}
if (guide.length) look(0, false);
byId("speed").addEventListener("change", () => timer && run(true));
// What each side took between marked points, and in all.
function stretch(words, from, to) {
  const cells = sides.flatMap((side, s) => {
    const waited = side.totals[to[s]].map((sum, cause) => sum - side.totals[from[s]][cause]);
    const sum = (end) => waited.reduce((all, n, cause) => (side.causes[cause].endsWith(end) ? all + n : all), 0);
    const spent = side.at[to[s]] - side.at[from[s]];
    return [spent, sum("_fill"), sum("_walk")].map((value) => element("td", { textContent: number(value) }));
  });
  const name = element("th", { scope: "row", className: "word", textContent: words });
  byId("stretches").querySelector("tbody").append(element("tr", {}, name, ...cells));
}
given.marks.slice(1).forEach(({ at, name }, n) => stretch(`${given.marks[n].name} \u2192 ${name}`, given.marks[n].at, at));
if (given.marks.length > 2) stretch("in all", given.marks[0].at, given.marks.at(-1).at);
for (const button of document.querySelectorAll("[data-side]")) {
  button.addEventListener("click", () => show(Number(button.dataset.side)));
}
function show(index) {
  views.forEach(({ root }, s) => root.classList.toggle("shown", s === index));
  for (const group of byId("jumps").children) group.classList.toggle("shown", Number(group.dataset.of) === index);
  for (const button of document.querySelectorAll("[data-side]")) {
    button.setAttribute("aria-pressed", Number(button.dataset.side) === index);
  }
}

const KEYS = {
  ArrowRight: () => go(position + 1),
  ArrowLeft: () => go(position - 1),
  PageDown: () => go(position + 20),
  PageUp: () => go(position - 20),
  Home: () => go(0),
  End: () => go(last),
  n: () => toEvent(1),
  p: () => toEvent(-1),
  " ": () => run(!timer),
};
document.addEventListener("keydown", (event) => {
  const key = KEYS[event.key];
  const control = event.target.closest("button, input[type=checkbox], summary");
  if (!key || event.ctrlKey || event.metaKey || event.altKey || (control && event.key === " ")) return;
  event.preventDefault();
  key();
});
slider.addEventListener("input", () => go(Number(slider.value)));
byId("first").onclick = () => go(0);
byId("last").onclick = () => go(last);
byId("step").onclick = () => go(position + 1);
byId("back").onclick = () => go(position - 1);
byId("event-on").onclick = () => toEvent(1);
byId("event-back").onclick = () => toEvent(-1);
byId("play").onclick = () => run(!timer);
addEventListener("resize", drawTicks);
addEventListener("scroll", () => views.forEach(({ parts }) => (parts.tip.hidden = true)), { passive: true });
addEventListener("hashchange", () => go(Number(location.hash.slice(1)) || 0));
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawTicks);

window.explorer = { sides, positions, go, get position() { return position; } };
show(0);
drawTicks();
go(Number(location.hash.slice(1)) || 0, false);
document.documentElement.dataset.ready = "true";
