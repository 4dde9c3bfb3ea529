// SPDX-License-Identifier: Apache-2.0
// Draws each figure from the specification inside it, in the colours of a light or a dark page, and
// switches its series on and off. Until a figure is drawn, and where it cannot be, its picture
// stands in its place. A figure is drawn when its chapter is shown (chapters.js): what is hidden has no
// width to draw in.
const dark = matchMedia("(prefers-color-scheme: dark)");
const darkColours = JSON.parse(document.getElementById("dark").textContent);
const PNG_SCALE = 2;

// A specification with each colour as it is on a dark page.
function darkened(value) {
  if (typeof value === "string") return darkColours[value] ?? value;
  if (Array.isArray(value)) return value.map(darkened);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, darkened(inner)]));
}

const views = new Map(); // by figure, what is drawn in it

async function draw(figure) {
  const spec = JSON.parse(figure.querySelector("script").textContent);
  figure.classList.add("drawn"); // first, for the same reason
  try {
    // ast: the page's content security policy allows no eval
    const { view } = await window.vegaEmbed(
      figure.querySelector(".plot"),
      dark.matches ? darkened(spec) : spec,
      { actions: false, ast: true, renderer: "svg", tooltip: { theme: "custom" } },
    );
    views.get(figure)?.finalize();
    views.set(figure, view);
    for (const box of figure.querySelectorAll("input")) {
      if (!box.checked) view.signal(box.dataset.shown, false).runAsync(); // kept by a reload
    }
  } catch (error) {
    figure.classList.remove("drawn");
    console.error(error);
  }
}

// The picture of a figure, as it is printed, in pixels.
function pixels(picture) {
  const canvas = document.createElement("canvas");
  canvas.width = picture.naturalWidth * PNG_SCALE;
  canvas.height = picture.naturalHeight * PNG_SCALE;
  canvas.getContext("2d").drawImage(picture, 0, 0, canvas.width, canvas.height);
  return canvas.toDataURL("image/png");
}

const figures = [...document.querySelectorAll("figure.drawing")];
for (const figure of figures) {
  for (const box of figure.querySelectorAll("input")) {
    box.addEventListener("change", () =>
      views.get(figure)?.signal(box.dataset.shown, box.checked).runAsync(),
    );
  }
  const picture = figure.querySelector(".still");
  for (const link of figure.querySelectorAll("a[data-file]")) {
    // made when it is asked for: the page is large enough
    link.addEventListener("click", () => {
      link.href = link.dataset.file === "svg" ? picture.src : pixels(picture);
    });
  }
}

// Draws what is seen and has not been drawn.
async function drawSeen() {
  for (const figure of figures) {
    if (!views.has(figure) && figure.closest("section").classList.contains("shown")) await draw(figure);
  }
}
await drawSeen();
document.addEventListener("turned", drawSeen);
dark.addEventListener("change", async () => {
  for (const view of views.values()) view.finalize();
  views.clear();
  await drawSeen();
});

document.documentElement.dataset.ready = "true";
