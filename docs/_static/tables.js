"use strict";
// A table that is wider than its place scrolls: by the keyboard, too.
function reach() {
  document.querySelectorAll(".table-wrapper, .math-wrapper").forEach((frame) => {
    if (frame.scrollWidth > frame.clientWidth) frame.tabIndex = 0;
    else frame.removeAttribute("tabindex");
  });
}
window.addEventListener("load", reach);
window.addEventListener("resize", reach);
