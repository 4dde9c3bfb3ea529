// SPDX-License-Identifier: Apache-2.0
// One experiment at a time, as the address says (`page.html#l4-ipc`; `#everything` is all), and a search
// over all of them. Without scripts, and on paper, everything stands below each other.
const sections = [...document.querySelectorAll("main > section")];
const EVERYTHING = "#everything";
const MOST = 3; // places of an experiment that a search shows

function named(hash) {
  return hash.length > 1 ? document.getElementById(decodeURIComponent(hash.slice(1))) : null;
}

function turn() {
  const target = named(location.hash);
  const one = sections.find((section) => section.contains(target));
  const whole = sections.length < 2 || location.hash === EVERYTHING;
  document.body.dataset.shown = whole ? "everything" : one ? "chapter" : "contents";
  for (const section of sections) section.classList.toggle("shown", whole || section === one);
  document.dispatchEvent(new Event("turned"));
  if (one) target.scrollIntoView();
  else if (!whole) scrollTo(0, 0);
}

// What can be found: a heading, a paragraph, a line of a table; worked out when it is first asked for.
let places;
function textOf(place) {
  const cells = place.tagName === "TR" ? [...place.cells] : [place];
  return cells.map(({ textContent }) => textContent.replace(/\s+/g, " ").trim()).filter(Boolean).join(", ");
}
// So much of it as stands around a word.
function around(text, word) {
  const at = text.toLowerCase().indexOf(word);
  const from = at > 60 ? text.indexOf(" ", at - 60) + 1 : 0;
  const rest = text.slice(from, from + 170);
  return `${from ? "… " : ""}${rest.length < 170 ? rest : `${rest.slice(0, rest.lastIndexOf(" "))} …`}`;
}
function found(words) {
  places ??= sections.map((section) =>
    [...section.querySelectorAll("h2, h3, p, caption, tr, dd")].map((place) => [place, textOf(place)]),
  );
  return places.flatMap((all, n) => {
    const holding = all.filter(([, text]) => words.every((word) => text.toLowerCase().includes(word)));
    return holding.length ? [{ section: sections[n], holding }] : [];
  });
}

function element(name, properties, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

const box = document.getElementById("find");
const list = document.getElementById("found");
function search() {
  const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
  document.body.classList.toggle("searched", words.length > 0);
  const items = (words.length ? found(words) : []).map(({ section, holding }) => {
    const links = holding.slice(0, MOST).map(([place, text]) => {
      const link = element("a", { href: `#${section.id}`, textContent: around(text, words[0]) });
      link.addEventListener("click", (event) => {
        event.preventDefault();
        history.pushState(null, "", `#${section.id}`);
        turn();
        const folded = place.closest("details");
        if (folded) folded.open = true;
        document.querySelector(".here")?.classList.remove("here");
        place.classList.add("here");
        place.scrollIntoView({ block: "center" });
      });
      return element("li", {}, link);
    });
    const more = holding.length > MOST ? ` (${holding.length} places)` : "";
    return element("li", {}, element("b", { textContent: section.id }), more, element("ul", {}, ...links));
  });
  if (words.length && !items.length) items.push(element("li", { textContent: "Nothing here has all these words." }));
  list.replaceChildren(...items);
}
box?.addEventListener("input", search);

addEventListener("hashchange", turn);
addEventListener("popstate", turn);
document.documentElement.classList.toggle("chapters", sections.length > 1);
turn();
