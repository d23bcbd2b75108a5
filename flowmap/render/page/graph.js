"use strict";
// Texts of the indexed code come from the data block and are only ever set as text.
const told = JSON.parse(document.getElementById("told").textContent);
const frame = document.querySelector("main");
const svg = frame.querySelector("svg");
const said = document.getElementById("said");
const search = document.getElementById("search");
const count = document.getElementById("count");
const whole = svg.viewBox.baseVal;
const start = [whole.x, whole.y, whole.width, whole.height];
let box = start.slice();
let found = [];
let at = -1;

function show(next) {
  box = next;
  svg.setAttribute("viewBox", box.join(" "));
}

function zoom(factor, x, y) {
  const width = Math.min(Math.max(box[2] * factor, start[2] / 60), start[2] * 4);
  const real = width / box[2];
  show([x - (x - box[0]) * real, y - (y - box[1]) * real, width, box[3] * real]);
}

function middle() {
  return [box[0] + box[2] / 2, box[1] + box[3] / 2];
}

function pointed(event) {
  const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
  return [point.x, point.y];
}

function centre(element) {
  const seen = element.getBoundingClientRect();
  const [x, y] = pointed({ clientX: seen.left + seen.width / 2, clientY: seen.top + seen.height / 2 });
  const width = Math.min(box[2], start[2], 900);
  const height = width * start[3] / start[2];
  show([x - width / 2, y - height / 2, width, height]);
}

function parts() {
  return svg.querySelectorAll(".node, .edge");
}

function light(id) {
  const near = new Set([id]);
  for (const edge of told.edges) {
    if (edge.id === id || edge.start === id || edge.end === id) {
      [edge.id, edge.start, edge.end].forEach((each) => near.add(each));
    }
  }
  parts().forEach((part) => part.classList.toggle("aside", !near.has(part.id)));
  said.textContent = (told.lines[id] || []).join("\n");
}

function dark() {
  parts().forEach((part) => part.classList.remove("aside"));
}

function look(next) {
  const text = search.value.trim().toLowerCase();
  parts().forEach((part) => part.classList.remove("found"));
  found = text ? told.nodes.filter((node) => node.symbol.toLowerCase().includes(text)) : [];
  found.forEach((node) => document.getElementById(node.id).classList.add("found"));
  count.textContent = text ? `${found.length} found` : "";
  if (next && found.length) {
    at = (at + 1) % found.length;
    centre(document.getElementById(found[at].id));
    light(found[at].id);
  }
}

parts().forEach((part) => {
  const into = part.querySelector("a[*|href]") || part;
  if (into === part) part.setAttribute("tabindex", "0");
  part.addEventListener("mouseenter", () => light(part.id));
  part.addEventListener("mouseleave", dark);
  part.addEventListener("focusin", () => light(part.id));
  part.addEventListener("focusout", dark);
  part.addEventListener("dblclick", () => centre(part));
});
search.addEventListener("input", () => { at = -1; look(false); });
search.addEventListener("keydown", (event) => { if (event.key === "Enter") look(true); });
frame.addEventListener("wheel", (event) => {
  event.preventDefault();
  zoom(event.deltaY > 0 ? 1.15 : 1 / 1.15, ...pointed(event));
}, { passive: false });

let held = null;
frame.addEventListener("pointerdown", (event) => { held = pointed(event); });
window.addEventListener("pointerup", () => { held = null; });
frame.addEventListener("pointermove", (event) => {
  if (!held || !event.buttons) return;
  const [x, y] = pointed(event);
  show([box[0] + held[0] - x, box[1] + held[1] - y, box[2], box[3]]);
});

const actions = {
  "+": () => zoom(1 / 1.25, ...middle()),
  "-": () => zoom(1.25, ...middle()),
  "0": () => show(start.slice()),
  ArrowLeft: () => show([box[0] - box[2] / 10, box[1], box[2], box[3]]),
  ArrowRight: () => show([box[0] + box[2] / 10, box[1], box[2], box[3]]),
  ArrowUp: () => show([box[0], box[1] - box[3] / 10, box[2], box[3]]),
  ArrowDown: () => show([box[0], box[1] + box[3] / 10, box[2], box[3]]),
};
document.addEventListener("keydown", (event) => {
  if (event.target === search || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "/") { event.preventDefault(); search.focus(); return; }
  const action = actions[event.key];
  if (action && !event.target.closest("details")) { event.preventDefault(); action(); }
});
document.querySelectorAll("button[data-key]").forEach((button) => {
  button.addEventListener("click", () => actions[button.dataset.key]());
});
