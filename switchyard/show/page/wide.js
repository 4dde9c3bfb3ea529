// SPDX-License-Identifier: Apache-2.0
// Says of tables that are wider than the page that there is more.
const sizes = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    target.classList.toggle("more", target.scrollWidth > target.clientWidth + 1);
  }
});
for (const table of document.querySelectorAll(".wide")) sizes.observe(table);
