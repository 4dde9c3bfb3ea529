// SPDX-License-Identifier: Apache-2.0
// Draws each figure from the specification inside it, and switches its series on and off. Until a
// figure is drawn, and where it cannot be, its picture stands in its place.
for (const figure of document.querySelectorAll("figure.drawing")) {
  const spec = JSON.parse(figure.querySelector("script").textContent);
  figure.classList.add("drawn"); // first: what is hidden has no width to draw in
  try {
    // ast: the page's content security policy allows no eval
    const { view } = await window.vegaEmbed(figure.querySelector(".plot"), spec, {
      actions: false,
      ast: true,
      renderer: "svg",
      tooltip: { theme: "custom" },
    });
    for (const box of figure.querySelectorAll("input")) {
      box.addEventListener("change", () => view.signal(box.dataset.shown, box.checked).runAsync());
      if (!box.checked) view.signal(box.dataset.shown, false).runAsync(); // kept by a reload
    }
  } catch (error) {
    figure.classList.remove("drawn");
    console.error(error);
  }
}
document.documentElement.dataset.ready = "true";
