"use strict";
// Pages can be read without this. Texts of the indexed code are only ever set as text.
(() => {
  // Lines: ranges (#L10-L20), marks (#L10.Class.field) and the way along a field's accesses.
  let field = "";

  function markAt(name) {
    const anchor = name && document.getElementById(name);
    const box = anchor && anchor.classList.contains("fm-at") ? anchor.closest(".fm-box") : null;
    return box && box.querySelector(".fm-mark");
  }

  function arrive() {
    const name = decodeURIComponent(location.hash.slice(1));
    document.querySelectorAll(".fm-in-range").forEach((line) => line.classList.remove("fm-in-range"));
    const range = /^L(\d+)-L?(\d+)$/.exec(name);
    if (range) {
      const [first, last] = [Number(range[1]), Number(range[2])];
      for (let number = first; number <= last && number < first + 5000; number += 1) {
        const line = document.getElementById(`L${number}`);
        if (line) line.classList.add("fm-in-range");
      }
      const start = document.getElementById(`L${first}`);
      if (start) start.scrollIntoView();
    }
    const mark = markAt(name);
    if (mark) {
      field = name.slice(name.indexOf(".") + 1);
      mark.closest(".fm-line").scrollIntoView({ block: "center" });
      mark.focus({ preventScroll: true });
    }
  }

  function step(way) {
    const here = document.activeElement && document.activeElement.closest(".fm-box");
    const box = here || (markAt(decodeURIComponent(location.hash.slice(1))) || document.createElement("i")).closest(".fm-box");
    const links = box ? [...box.querySelectorAll(`a[rel="${way}"]`)] : [];
    const own = links.find((link) => field && decodeURIComponent(link.hash).endsWith(`.${field}`)) || links[0];
    if (own) own.click();
    else if (!box) {
      const marks = [...document.querySelectorAll(".fm-margin .fm-mark")];
      const next = way === "next" ? marks[0] : marks[marks.length - 1];
      if (next) next.focus();
    }
  }

  window.addEventListener("hashchange", arrive);
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, textarea, select")) return;
    if (event.key === "n" || event.key === "p") step(event.key === "n" ? "next" : "prev");
    if (event.key === "Escape" && event.target.closest(".fm-box")) event.target.closest(".fm-box").classList.add("fm-shut");
    if (event.key === "/" && find) { event.preventDefault(); openMenu(); find.focus(); }
  });
  document.addEventListener("focusin", (event) => {
    document.querySelectorAll(".fm-shut").forEach((box) => { if (!box.contains(event.target)) box.classList.remove("fm-shut"); });
    if (event.target.closest) place(event.target.closest(".fm-box"));
  });
  document.addEventListener("mouseover", (event) => place(event.target.closest && event.target.closest(".fm-box")));

  // A card stays within what is seen: the listing scrolls sideways and would cut it off.
  function place(box) {
    const card = box && box.querySelector(":scope > .fm-card");
    if (!card || card.style.position === "fixed") return;
    const at = box.getBoundingClientRect();
    card.style.position = "fixed";
    const size = card.getBoundingClientRect();
    card.style.left = `${Math.max(4, Math.min(at.left, window.innerWidth - size.width - 8))}px`;
    card.style.top = at.bottom + size.height < window.innerHeight || at.top < size.height ? `${at.bottom}px` : `${at.top - size.height}px`;
  }
  function unplace() {
    document.querySelectorAll('.fm-card[style*="fixed"]').forEach((card) => card.removeAttribute("style"));
  }
  window.addEventListener("scroll", unplace, { passive: true, capture: true });
  window.addEventListener("resize", unplace);
  document.addEventListener("mouseout", (event) => {
    const box = event.target.closest && event.target.closest(".fm-box");
    if (box && !box.contains(event.relatedTarget) && !box.contains(document.activeElement)) {
      box.querySelectorAll(".fm-card").forEach((card) => card.removeAttribute("style"));
    }
  });

  // Search by name.
  const find = document.getElementById("fm-find");
  const list = document.getElementById("fm-found");
  const root = document.documentElement.dataset.content_root || "./";
  let chosen = -1;

  function openMenu() {
    const menu = document.getElementById("__navigation");
    if (menu && window.innerWidth < 1008) menu.checked = true;
  }

  function rank(text, words) {
    const low = text.toLowerCase();
    if (!words.every((word) => low.includes(word))) return -1;
    const last = words[words.length - 1];
    return (low.endsWith(`.${words.join(".")}`) || low === words.join(".") ? 0 : low.endsWith(last) ? 1 : 2) * 1000 + text.length;
  }

  function look() {
    const words = find.value.trim().toLowerCase().split(/[\s.]+/).filter(Boolean);
    const rows = words.length ? (window.atlasNames || []).map((row) => [rank(row[0], words), row]).filter(([at]) => at >= 0) : [];
    rows.sort((one, other) => one[0] - other[0] || (one[1][0] < other[1][0] ? -1 : 1));
    list.replaceChildren(...rows.slice(0, 30).map(([, row], number) => option(row, number)));
    list.hidden = !words.length;
    find.setAttribute("aria-expanded", String(Boolean(words.length)));
    chosen = -1;
    find.removeAttribute("aria-activedescendant");
  }

  function option([text, kind, page], number) {
    const item = document.createElement("li");
    const link = document.createElement("a");
    const small = document.createElement("small");
    item.id = `fm-found-${number}`;
    item.setAttribute("role", "option");
    link.href = `${root}${page}.html`;
    link.tabIndex = -1;
    link.textContent = `${text} `;
    small.textContent = kind;
    link.append(small);
    item.append(link);
    return item;
  }

  function choose(next) {
    const items = [...list.children];
    if (!items.length) return;
    chosen = (next + items.length) % items.length;
    items.forEach((item, number) => item.setAttribute("aria-selected", String(number === chosen)));
    items[chosen].scrollIntoView({ block: "nearest" });
    find.setAttribute("aria-activedescendant", items[chosen].id);
  }

  if (find) {
    find.addEventListener("input", look);
    find.addEventListener("keydown", (event) => {
      if (event.key === "ArrowDown") { event.preventDefault(); choose(chosen + 1); }
      if (event.key === "ArrowUp") { event.preventDefault(); choose(chosen - 1); }
      if (event.key === "Escape") { find.value = ""; look(); }
      if (event.key === "Enter" && list.children.length) {
        event.preventDefault();
        list.children[Math.max(chosen, 0)].querySelector("a").click();
      }
    });
  }

  // Graphs: zoom, move, and what belongs to what is pointed at.
  function explore(figure) {
    const canvas = figure.querySelector(".fm-canvas");
    const svg = canvas.querySelector("svg");
    const said = figure.querySelector(".fm-said");
    const told = JSON.parse(figure.querySelector("script").textContent);
    const view = svg.viewBox.baseVal;
    const start = [view.x, view.y, view.width, view.height];
    const parts = svg.querySelectorAll(".node, .edge");
    let box = start.slice();

    function show(next) {
      box = next;
      svg.setAttribute("viewBox", box.join(" "));
    }
    function zoom(factor, x, y) {
      const width = Math.min(Math.max(box[2] * factor, start[2] / 40), start[2] * 3);
      const real = width / box[2];
      show([x - (x - box[0]) * real, y - (y - box[1]) * real, width, box[3] * real]);
    }
    function pointed(event) {
      const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
      return [point.x, point.y];
    }
    function centre(part) {
      const seen = part.getBoundingClientRect();
      const [x, y] = pointed({ clientX: seen.left + seen.width / 2, clientY: seen.top + seen.height / 2 });
      show([x - box[2] / 2, y - box[3] / 2, box[2], box[3]]);
    }
    // At first: the whole where its text can be read, else as much around what was asked; no higher than the drawing is.
    function fit() {
      const highest = canvas.clientHeight;
      const whole = Math.min(canvas.clientWidth / start[2], highest / start[3]);
      const scale = Math.min(Math.max(whole, 0.95), 4 / 3);
      canvas.style.height = `${Math.max(140, Math.min(highest, start[3] * scale + 16))}px`;
      const [width, height] = [canvas.clientWidth / scale, canvas.clientHeight / scale];
      const subject = svg.querySelector(".subject");
      const at = subject ? subject.getBBox() : { x: start[0], y: start[1], width: start[2], height: start[3] };
      const matrix = subject ? subject.getScreenCTM() : svg.getScreenCTM();
      const middle = new DOMPoint(at.x + at.width / 2, at.y + at.height / 2).matrixTransform(matrix).matrixTransform(svg.getScreenCTM().inverse());
      const within = (wanted, first, size, seen) =>
        seen >= size ? first - (seen - size) / 2 : Math.min(Math.max(wanted - seen / 2, first), first + size - seen);
      show([within(middle.x, start[0], start[2], width), within(middle.y, start[1], start[3], height), width, height]);
    }
    function light(id) {
      const near = new Set([id]);
      for (const edge of told.edges) if (edge.includes(id)) edge.forEach((each) => near.add(each));
      parts.forEach((part) => part.classList.toggle("aside", !near.has(part.id)));
      said.textContent = (told.lines[id] || []).join("\n");
    }
    function dark() {
      parts.forEach((part) => part.classList.remove("aside"));
    }

    canvas.classList.add("fm-live");
    ["width", "height"].forEach((name) => svg.removeAttribute(name));
    fit();
    parts.forEach((part) => {
      part.addEventListener("mouseenter", () => light(part.id));
      part.addEventListener("mouseleave", dark);
      part.addEventListener("focusin", () => { light(part.id); centre(part); });
      part.addEventListener("focusout", dark);
    });
    canvas.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      zoom(event.deltaY > 0 ? 1.15 : 1 / 1.15, ...pointed(event));
    }, { passive: false });
    let held = null;
    canvas.addEventListener("pointerdown", (event) => { held = pointed(event); });
    window.addEventListener("pointerup", () => { held = null; });
    canvas.addEventListener("pointermove", (event) => {
      if (!held || !event.buttons) return;
      const [x, y] = pointed(event);
      show([box[0] + held[0] - x, box[1] + held[1] - y, box[2], box[3]]);
    });
    svg.addEventListener("dragstart", (event) => event.preventDefault());
    const middle = () => [box[0] + box[2] / 2, box[1] + box[3] / 2];
    const actions = {
      "+": () => zoom(1 / 1.25, ...middle()),
      "-": () => zoom(1.25, ...middle()),
      "0": () => show(start.slice()),
      ArrowLeft: () => show([box[0] - box[2] / 10, box[1], box[2], box[3]]),
      ArrowRight: () => show([box[0] + box[2] / 10, box[1], box[2], box[3]]),
      ArrowUp: () => show([box[0], box[1] - box[3] / 10, box[2], box[3]]),
      ArrowDown: () => show([box[0], box[1] + box[3] / 10, box[2], box[3]]),
    };
    canvas.addEventListener("keydown", (event) => {
      const action = event.ctrlKey || event.metaKey || event.altKey ? null : actions[event.key];
      if (action) { event.preventDefault(); action(); }
    });
    figure.querySelectorAll("button[data-key]").forEach((button) => {
      button.addEventListener("click", () => actions[button.dataset.key]());
    });
  }

  document.querySelectorAll("figure[data-graph]").forEach(explore);
  // The browser goes to the address's anchor first, and takes the focus there.
  if (document.readyState === "complete") arrive();
  else window.addEventListener("load", () => requestAnimationFrame(arrive));
})();
