// SPDX-License-Identifier: Apache-2.0
// What is too faint, and by how much the page is wider than its window (pages_test.py evaluates it). What a
// picture lies behind is left out: its colour is not known.
() => {
  const parts = (colour) => (colour.match(/[\d.]+/g) || []).map(Number);
  const light = (colour) => {
    const [r, g, b] = parts(colour).map((c) => (c /= 255, c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const over = ([r, g, b, a = 1], ground) => {
    const under = parts(ground);
    return `rgb(${[r, g, b].map((c, n) => c * a + under[n] * (1 - a)).join(", ")})`;
  };
  const behind = (element) => {
    const layers = [];
    for (let at = element; at; at = at.parentElement) {
      const style = getComputedStyle(at);
      if (style.backgroundImage !== "none") return null;
      const colour = parts(style.backgroundColor);
      layers.push(colour);
      if (colour.length < 4 || colour[3] === 1) break;
    }
    return layers.reverse().reduce((ground, layer) => over(layer, ground), "rgb(255, 255, 255)");
  };
  const faint = new Map();
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const text = texts.currentNode.textContent.trim();
    const element = texts.currentNode.parentElement;
    if (!text || element.closest("svg, script, style, noscript, :disabled, [hidden]")) continue;
    if (!element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
    const style = getComputedStyle(element);
    const ground = behind(element);
    if (!ground) continue;
    const [one, other] = [light(over(parts(style.color), ground)), light(ground)].sort((a, b) => b - a);
    const ratio = (one + 0.05) / (other + 0.05);
    const size = parseFloat(style.fontSize);
    const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    if (ratio < (large ? 3 : 4.5)) {
      const name = `${element.tagName.toLowerCase()}.${element.className}: ${style.color} on ${ground}, ${ratio.toFixed(1)}`;
      faint.set(name, text.slice(0, 40));
    }
  }
  return { wide: document.documentElement.scrollWidth - innerWidth, faint: [...faint] };
}
