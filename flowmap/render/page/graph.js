"use strict";
// Texts of the indexed code come from the data block and are only ever set as text.
const told = JSON.parse(document.getElementById("told").textContent);
const frame = document.querySelector("main");
const svg = frame.querySelector("svg");
const said = document.getElementById("said");
const near = document.getElementById("near");
const search = document.getElementById("search");
const count = document.getElementById("count");
const nodes = new Map(told.nodes.map((node) => [node.id, node]));
const edges = new Map(told.edges.map((edge) => [edge.id, edge]));
const rows = new Map(told.nodes.flatMap((node) => node.rows.map((row) => [row, node.id])));
const links = new Map();
const hint = said.textContent;
const SHARP = 0.6; // pixels for a unit of the picture: below that its letters are too small
const PLAIN = 1.15;
let start = [svg.viewBox.baseVal.x, svg.viewBox.baseVal.y, svg.viewBox.baseVal.width, svg.viewBox.baseVal.height];
let box = start.slice();
let chosen = "";
let found = [];
let at = -1;
const folded = new Set(); // nodes behind which the others are hidden

// ------------------------------------------------------------------------------------------------------------------ the view

function show(next) {
  box = next;
  svg.setAttribute("viewBox", box.join(" "));
}

function zoom(factor, x, y) {
  const width = Math.min(Math.max(box[2] * factor, start[2] / 200), start[2] * 4);
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

function spot(element) {
  const seen = element.getBoundingClientRect();
  return pointed({ clientX: seen.left + seen.width / 2, clientY: seen.top + seen.height / 2 });
}

function scaled(scale, x, y) {
  const width = frame.clientWidth / scale;
  const height = frame.clientHeight / scale;
  show([x - width / 2, y - height / 2, width, height]);
}

function scale() {
  return Math.min(frame.clientWidth / box[2], frame.clientHeight / box[3]);
}

function centre(element) {
  const [x, y] = spot(element);
  scaled(Math.max(scale(), PLAIN), x, y);
}

function whole() {
  show(start.slice());
}

function open() {
  whole();
  if (scale() >= SHARP || !told.roots.length) return;
  const root = document.getElementById(told.roots[0]);
  if (!root) return;
  const [x, y] = spot(root);
  scaled(PLAIN, x, told.stands ? y + frame.clientHeight / PLAIN / 2 - 60 : y);
}

// ------------------------------------------------------------------------------------------------------------ what is told

function parts() {
  return svg.querySelectorAll(".node, .edge");
}

function light(id) {
  const lit = new Set([id]);
  for (const edge of edges.values()) {
    if (edge.id === id || edge.start === id || edge.end === id) [edge.id, edge.start, edge.end].forEach((each) => lit.add(each));
  }
  parts().forEach((part) => part.classList.toggle("aside", !lit.has(part.id)));
}

function tell(id) {
  const node = rows.get(id) || id;
  light(node);
  const lines = told.lines[id] || [];
  const hidden = folded.has(node) ? [`${behind(node).size} hidden behind it`] : [];
  said.textContent = lines.concat(hidden).join("\n");
  said.classList.remove("hint");
}

function rest() {
  if (chosen) {
    tell(chosen);
    return;
  }
  parts().forEach((part) => part.classList.remove("aside"));
  said.textContent = hint;
  said.classList.add("hint");
}

function button(text, action) {
  const made = document.createElement("button");
  made.type = "button";
  made.textContent = text;
  made.addEventListener("click", action);
  return made;
}

function neighbours(id) {
  const list = (title, ids) => {
    const line = document.createElement("div");
    line.append(`${title} `, ...[...new Set(ids)].map((each) => button(nodes.get(each).label, () => choose(each))));
    return ids.length ? [line] : [];
  };
  const all = [...edges.values()];
  return [
    ...list("comes from", all.filter((edge) => edge.end === id).map((edge) => edge.start)),
    ...list("leads to", all.filter((edge) => edge.start === id).map((edge) => edge.end)),
  ];
}

function actionsOf(id) {
  const line = document.createElement("div");
  if (links.has(id)) {
    const link = document.createElement("a");
    link.href = links.get(id);
    link.target = "_blank";
    link.rel = "noreferrer";
    link.textContent = "open the source";
    line.append(link, " ");
  }
  if (nodes.has(id)) {
    const hides = folded.has(id);
    if (hides || behind(id).size) line.append(button(hides ? "show what is behind it (e)" : "hide what is behind it (c)", () => fold(id)));
  }
  return line;
}

function cutsOf(id) {
  return (nodes.get(id) || { cuts: [] }).cuts.map(([title, command, names, number]) => {
    const made = document.createElement("details");
    made.open = names.length > 0 && names.length <= 12;
    const head = document.createElement("summary");
    head.textContent = `${title}, not drawn: ${command}`;
    const list = document.createElement("ul");
    const more = number > names.length && names.length ? [`and ${number - names.length} more`] : [];
    for (const name of names.concat(more)) {
      const line = document.createElement("li");
      line.textContent = name;
      list.append(line);
    }
    made.append(head, list);
    return made;
  });
}

function choose(id) {
  chosen = id;
  parts().forEach((part) => part.classList.toggle("chosen", part.id === id));
  near.replaceChildren();
  if (!id) return rest();
  const part = document.getElementById(id);
  if (part.classList.contains("hidden")) reveal(id);
  centre(part);
  tell(id);
  const edge = edges.get(id);
  near.append(actionsOf(id));
  if (edge) {
    const ends = document.createElement("div");
    ends.append("from ", button(nodes.get(edge.start).label, () => choose(edge.start)));
    ends.append(" to ", button(nodes.get(edge.end).label, () => choose(edge.end)));
    near.append(ends);
  } else near.append(...neighbours(id), ...cutsOf(id));
  part.focus({ preventScroll: true });
  return undefined;
}

// ------------------------------------------------------------------------------------------------------------------- folding

function reached(without) {
  const next = new Map();
  for (const edge of edges.values()) {
    for (const [one, other] of [[edge.start, edge.end], [edge.end, edge.start]]) next.set(one, (next.get(one) || []).concat(other));
  }
  const seen = new Set(told.roots);
  const waiting = [...seen];
  while (waiting.length) {
    const one = waiting.pop();
    if (without.has(one)) continue;
    for (const other of next.get(one) || []) {
      if (!seen.has(other)) {
        seen.add(other);
        waiting.push(other);
      }
    }
  }
  return seen;
}

function behind(id) {
  const seen = reached(new Set([id]));
  const all = reached(new Set());
  return new Set([...all].filter((each) => !seen.has(each)));
}

function draw() {
  const all = reached(new Set());
  const seen = reached(folded);
  const gone = (id) => all.has(id) && !seen.has(id);
  parts().forEach((part) => {
    const edge = edges.get(part.id);
    part.classList.toggle("hidden", edge ? gone(edge.start) || gone(edge.end) : gone(part.id));
    part.classList.toggle("folds", folded.has(part.id));
  });
  svg.querySelectorAll(".cluster").forEach((cluster) => {
    const own = told.nodes.filter((node) => node.cluster === cluster.id);
    cluster.classList.toggle("hidden", own.length > 0 && own.every((node) => gone(node.id)));
  });
}

function fold(id) {
  if (!nodes.has(id)) return;
  if (folded.has(id)) folded.delete(id);
  else if (behind(id).size) folded.add(id);
  draw();
  choose(id);
}

function reveal(id) {
  for (const each of [...folded]) {
    if (behind(each).has(id)) folded.delete(each);
  }
  draw();
}

// ------------------------------------------------------------------------------------------------------------------ searching

function look(next) {
  const text = search.value.trim().toLowerCase();
  const says = (node) => [node.symbol, node.label, ...node.rows.flatMap((row) => told.lines[row] || [])].join("\n").toLowerCase();
  parts().forEach((part) => part.classList.remove("found"));
  const last = (node) => node.symbol.toLowerCase().split(".").pop();
  const rank = (node) => (last(node) === text || node.label.toLowerCase() === text ? 0 : last(node).startsWith(text) ? 1 : 2);
  found = text ? told.nodes.filter((node) => says(node).includes(text)).sort((one, other) => rank(one) - rank(other)) : [];
  found.forEach((node) => document.getElementById(node.id).classList.add("found"));
  count.textContent = text ? `${found.length} found` : "";
  if (next && found.length) {
    at = (at + 1) % found.length;
    choose(found[at].id);
    count.textContent = `${at + 1} of ${found.length}`;
  }
}

// -------------------------------------------------------------------------------------------------------------------- events

function wide(edge) {
  const path = edge.querySelector("path");
  if (!path) return;
  const grip = path.cloneNode();
  grip.setAttribute("class", "grip");
  path.parentNode.insertBefore(grip, path);
}

parts().forEach((part) => {
  const link = [...part.querySelectorAll("a")].find((each) => each.getAttribute("xlink:href") && !each.parentNode.id.startsWith("a_r"));
  if (link) links.set(part.id, link.getAttribute("xlink:href"));
  part.querySelectorAll("a").forEach((each) => {
    if (!rows.has(each.parentNode.id.slice(2))) each.removeAttribute("xlink:href");
  });
  part.setAttribute("tabindex", "0");
  part.setAttribute("role", "group");
  part.setAttribute("aria-label", (told.lines[part.id] || [""])[0]);
  if (part.classList.contains("edge")) wide(part);
  part.addEventListener("mouseenter", () => tell(part.id));
  part.addEventListener("mouseleave", rest);
  part.addEventListener("focusin", (event) => { if (event.target === part) tell(part.id); });
  part.addEventListener("focusout", rest);
  part.addEventListener("click", (event) => {
    if (moved || event.target.closest("a[*|href]")) return;
    choose(part.id);
  });
});
rows.forEach((_, row) => {
  const element = document.getElementById(`a_${row}`);
  if (!element) return;
  element.addEventListener("mouseenter", () => tell(row));
  element.addEventListener("mouseleave", () => tell(rows.get(row)));
});
search.addEventListener("input", () => { at = -1; look(false); });
search.addEventListener("keydown", (event) => {
  if (event.key === "Enter") look(true);
  if (event.key === "Escape") { search.value = ""; look(false); search.blur(); }
});
frame.addEventListener("wheel", (event) => {
  event.preventDefault();
  zoom(event.deltaY > 0 ? 1.15 : 1 / 1.15, ...pointed(event));
}, { passive: false });

const held = new Map(); // where each finger or the mouse took hold, in the picture
let moved = false;
let spread = 0;
frame.addEventListener("pointerdown", (event) => {
  if (!held.size) moved = false;
  held.set(event.pointerId, { at: pointed(event), x: event.clientX, y: event.clientY });
  spread = 0;
});
["pointerup", "pointercancel"].forEach((kind) => window.addEventListener(kind, (event) => held.delete(event.pointerId)));
frame.addEventListener("pointermove", (event) => {
  const own = held.get(event.pointerId);
  if (!own || !event.buttons) return;
  if (Math.hypot(event.clientX - own.x, event.clientY - own.y) > 4) moved = true;
  if (held.size === 1) {
    const [x, y] = pointed(event);
    show([box[0] + own.at[0] - x, box[1] + own.at[1] - y, box[2], box[3]]);
    return;
  }
  Object.assign(own, { x: event.clientX, y: event.clientY });
  const [one, other] = [...held.values()];
  const apart = Math.hypot(one.x - other.x, one.y - other.y);
  if (spread && apart) zoom(spread / apart, ...pointed({ clientX: (one.x + other.x) / 2, clientY: (one.y + other.y) / 2 }));
  spread = apart;
});

const actions = {
  "+": () => zoom(1 / 1.25, ...middle()),
  "-": () => zoom(1.25, ...middle()),
  "0": whole,
  ArrowLeft: () => show([box[0] - box[2] / 10, box[1], box[2], box[3]]),
  ArrowRight: () => show([box[0] + box[2] / 10, box[1], box[2], box[3]]),
  ArrowUp: () => show([box[0], box[1] - box[3] / 10, box[2], box[3]]),
  ArrowDown: () => show([box[0], box[1] + box[3] / 10, box[2], box[3]]),
  Escape: () => choose(""),
  c: () => { if (chosen && !folded.has(chosen)) fold(chosen); },
  e: () => { if (folded.has(chosen)) fold(chosen); },
  a: () => { folded.clear(); draw(); if (chosen) choose(chosen); },
};
document.addEventListener("keydown", (event) => {
  if (event.target === search || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "/") { event.preventDefault(); search.focus(); return; }
  const part = event.target.closest(".node, .edge");
  if (event.key === "Enter" && part === event.target) { event.preventDefault(); choose(part.id); return; }
  const action = actions[event.key];
  const scrolls = event.key.startsWith("Arrow") && event.target.closest("details, #panel");
  if (action && !scrolls) { event.preventDefault(); action(); }
});
document.querySelectorAll("button[data-key]").forEach((each) => {
  each.addEventListener("click", () => actions[each.dataset.key]());
});
window.addEventListener("hashchange", () => choose(location.hash.slice(1)));
open();
if (nodes.has(location.hash.slice(1))) choose(location.hash.slice(1));
