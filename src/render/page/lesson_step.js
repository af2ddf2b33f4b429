// ---- A step --------------------------------------------------------------------------------------

const views = steps.map(() => null);
let pointer = "";  // where it is
listen(document, "pointermove", ({ clientX, clientY }) => { pointer = `${clientX} ${clientY}`; });

/** The steps that a node was computed from: the nearest ones, through nodes that are not steps. */
function sources(node) {
  const found = new Set();
  for (const operand of node.o) {
    if (operand < 0) continue;
    if (nodes[operand].i !== undefined) found.add(nodes[operand].i);
    else sources(nodes[operand]).forEach((step) => found.add(step));
  }
  return [...found];
}

const nodeOf = (step) => (steps[step].node === undefined ? null : nodes[steps[step].node]);
const uses = steps.map(() => []);
steps.forEach((_, step) => {
  const node = nodeOf(step);
  if (node && node.i === step) sources(node).forEach((from) => uses[from].push(step));
});

function stepLinks(words, list) {
  if (!list.length) return null;
  const links = list.flatMap((step, i) => {
    const link = make("a", { href: `#${steps[step].id}` }, nodeOf(step).n || steps[step].id);
    return i ? [", ", link] : [link];
  });
  return make("span", {}, words, ...links);
}

/** Draws the step's heat maps; call it once. */
function view(step) {
  const node = nodeOf(step);
  if (!node) return;
  const article = articles[step];
  const links = [stepLinks("made from ", sources(node)), stepLinks("used for ", uses[step])].filter(Boolean);
  article.querySelector(".links").append(...links);
  views[step] = drawn(step, node, article.querySelector(".look"));
}

/** The heat maps of a step's tensor or its replacement, in an empty view; null if the page has no cells. */
function drawn(step, node, look, isSecret = false) {
  if (!count(node) || printed(node).length !== count(node)) return null;
  const text = articles[step].querySelector(".printed");
  text.open = false;
  text.classList.add("drawn");

  const maps = leads(node.s).map((lead) => table(node, lead, true));
  const slices = maps.length > 1 ? make("div", { class: "slices", role: "group", "aria-label": "Slices" }) : null;
  const boxes = maps.map(boxed);
  const tools = make("div", { class: "tools" }, slices, legend(node));
  const result = make("div", { class: "result" }, tools, ...boxes);
  const operands = make("div", { class: "operands" });
  const panel = make("section", { class: "derivation", "aria-label": "How a number is computed" });
  resized.observe(panel);
  panel.addEventListener("scroll", () => reachable(panel));
  look.append(make("div", { class: "maps" }, result, operands), panel);
  const state = {
    step, node, isSecret, maps, boxes, slices, tools, result, operands, panel,
    beside: [], pinned: null, shown: null, focusable: null,
  };
  if (slices) {
    state.all = action("▦", () => setGrid(state, !state.isGrid),
                       { "aria-pressed": "false", "aria-keyshortcuts": "a", "aria-label": "All" });
    slices.append(...maps.map((map) => action(sliceName(node, map.lead), () => {
      const first = Math.min(...map.cells.keys());
      setGrid(state, false);
      release(state);
      setFocusable(state, first);
      besides(state, first);
    })), state.all);
  }
  setFocusable(state, 0);
  besides(state, 0);
  hint(state);

  result.addEventListener("pointerover", (event) => {
    const cell = event.target.closest("td[data-position]");
    const isStill = event.isTrusted && pointer === `${event.clientX} ${event.clientY}`;  // the cells moved instead
    const isTyping = panel.contains(document.activeElement) && document.activeElement.matches("input");
    if (cell && !isStill && !isTyping && event.pointerType !== "touch") explain(state, Number(cell.dataset.position));
  });
  result.addEventListener("pointerleave", () => explain(state, state.pinned));
  result.addEventListener("click", (event) => {
    const cell = event.target.closest("td[data-position]");
    if (!cell) return;
    cell.focus();
    if (cell.matches(".asked")) panel.querySelector(".answer input")?.focus();
  });
  result.addEventListener("focusin", (event) => {
    const cell = event.target.closest("td[data-position]");
    if (!cell) return;
    state.pinned = Number(cell.dataset.position);
    setAddress();
    setFocusable(state, state.pinned);
    explain(state, state.pinned);
    bring(state.maps.find((map) => map.element.contains(cell)), [cell]);
    said.textContent = state.said ?? "";
  });
  result.addEventListener("keydown", (event) => moveCell(state, event));
  for (const beside of [panel, operands]) {
    beside.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      state.focusable.focus();
      event.stopPropagation();
    });
  }
  panel.addEventListener("pointerover", (event) => light(state, event.target.closest("tr[data-k]")));
  panel.addEventListener("pointerleave", () => light(state, null));
  return state;
}

/** "head 1"; with several sequences, "[0] head 1". */
function sliceName(node, lead) {
  const items = lead.map((at, axis) => itemName(node, axis, at) ?? (node.s[axis] > 1 ? `[${at}]` : null));
  return items.filter((item) => item !== null).join(" ") || `[${lead.join(", ")}]`;
}

/** Draws everything again in the shared scales. */
function repaint(state) {
  for (const { node, cells } of state.maps) cells.forEach(({ cell }, position) => paint(cell, node, position));
  state.tools.querySelector(".legend")?.remove();
  state.tools.append(legend(state.node) ?? "");
  const { shown } = state;
  state.key = null;
  state.shown = null;
  besides(state, Number(state.focusable.dataset.position));
  if (shown !== null) explain(state, shown);
}

const cellAt = (state, position) => state.maps.find((map) => map.cells.has(position))?.cells.get(position).cell;

/** Makes this element the only one that Tab reaches, and shows its slice. */
function setFocusable(state, position) {
  state.maps.forEach((map, m) => {
    const isSeen = map.cells.has(position);
    state.boxes[m].classList.toggle("unseen", !isSeen);
    state.slices?.children[m].setAttribute("aria-pressed", String(isSeen));
  });
  state.focusable?.setAttribute("tabindex", "-1");
  state.focusable = cellAt(state, position);
  state.focusable?.setAttribute("tabindex", "0");
}

/** Returns true if elements are computed in several ways, or from several tensors: masked, stacked. */
function isMixed(node) {
  const firsts = node.d.map(([, [first] = []]) => operandAt(node, first)?.node);
  return new Set(node.d.map(([telling]) => telling)).size > 1 || new Set(firsts).size > 1;
}

/** The operands' tables with an element's terms; of more than two axes, only the slice needed. */
function besides(state, position) {
  const from = state.isSecret ? null : derivation(state.node, position);
  const wanted = [];
  const terms = from ? [...from.a, ...from.b, ...from.bias] : [];
  if (from && isMixed(state.node)) {  // show all operands, whichever way this element took
    state.node.o.forEach((operand, i) => {
      const shared = terms.some((term) => term.node === nodes[operand]);
      if (!shared && nodes[operand].s.length <= state.node.s.length && i < 4) {
        const index = indexAt(position, state.node.s).slice(-nodes[operand].s.length);
        terms.push({ node: nodes[operand], position: positionOf(index, nodes[operand].s) });
      }
    });
    const order = (term) => state.node.o.indexOf(nodes.indexOf(term.node));
    terms.sort((one, other) => order(one) - order(other));
  }
  for (const term of terms) {
    if (printed(term.node).length !== count(term.node)) continue;
    const lead = indexAt(term.position, term.node.s).slice(0, -2);
    const key = `${nodes.indexOf(term.node)}:${lead}`;
    if (!wanted.some((other) => other.key === key)) wanted.push({ key, node: term.node, lead });
  }
  const key = wanted.map((one) => one.key).join(" ");
  if (key === state.key) return from;
  state.key = key;
  state.beside = wanted.map(({ node, lead }) => table(node, lead, false));
  state.operands.replaceChildren(...state.beside.map(boxed));
  state.operands.hidden = !state.beside.length;
  return from;
}

function hint(state) {
  const { panel } = state;
  state.said = "";
  const text = "Point at a number, or press Tab and then the arrow keys, to see how it is computed.";
  const seen = [...articles[state.step].querySelectorAll(":scope > .notices li")].map((one) => one.cloneNode(true));
  panel.replaceChildren(make("p", { class: "hint" }, text),
                        seen.length ? make("ul", { class: "noticed", "aria-hidden": "true" }, ...seen) : "",
                        make("p", { class: "total" }, moreOf(panel)));
  reachable(panel);
}

/** Shows an element's derivation; null: nothing is chosen. */
function explain(state, position) {
  if (position === state.shown) return;
  state.shown = position;
  unmark(state.maps);
  unmark(state.beside);
  if (position === null) {
    hint(state);
    return;
  }
  const { node, panel } = state;
  const from = besides(state, position);
  unmark(state.beside);
  mark(state.maps, { node, position }, "at");
  state.maps.forEach((map) => map.element.caption.classList.toggle("met", map.cells.has(position)));
  const asked = questionAt(state, position);
  if (asked !== null) {
    ask(state, position, asked);
    return;
  }
  for (const term of from ? [...from.a, ...from.b, ...from.bias] : []) mark(state.beside, term, "met");
  if (from?.own !== undefined) mark(state.beside, from.a[from.own], "at");
  markHeads([...state.maps, ...state.beside]);
  scrollIntoBoxes(state);

  const told = account(state, position);
  told.total.append(moreOf(panel));
  panel.replaceChildren(told.heading, ...told.shown, told.total);
  panel.scrollTop = 0;
  reachable(panel);
  state.said = told.said;
  state.from = from;
}

/** The panel's text for an element: heading, derivation and number, and the same for screen readers. */
function account({ node, isSecret }, position) {
  const index = indexAt(position, node.s);
  const who = index.map((at, axis) => itemName(node, axis, at)).filter((name) => name !== null);
  const head = node.heads > 1 ? headOf(node, index.slice(0, -2), index.at(-1)) : null;
  if (head !== null) who.push(`head ${head + 1}`);
  if (node.w !== undefined) who.unshift(tokensOf(node)[node.w]);
  const from = derivation(node, position);
  const unknown = { shown: [paragraph("Its operands are too large for this page.")], said: "" };
  const told = isSecret ? { shown: [paragraph("Find the rule to see how this number is computed.")], said: "" } : from ? tell(from) : unknown;
  const number = exactAt({ node, position });
  const short = printed(node)[position];
  return {
    heading: make("h3", {}, code(place(node, position)),
                  who.length ? make("span", { class: "who" }, ` ${who.join(" → ")}`) : null),
    shown: told.shown,
    total: make("p", { class: "total" }, "= ", make("b", {}, short),
                number === short ? null : make("small", {}, ` printed; in float32 ${number}`)),
    said: `${[place(node, position), ...who].join(", ")}: ${told.said ? `${told.said} is ` : ""}${short}`,
  };
}

/** Scrolls the operands' boxes to the cells used, without moving the page. */
function scrollIntoBoxes(state) {
  for (const map of state.beside) {
    bring(map, [...map.element.querySelectorAll("td.at, td.met")]);
    bring(map, [...map.element.querySelectorAll("td.at")]);
  }
}

/** Scrolls a map's box sideways to these cells, or to the first of them if it cannot hold all. */
function bring({ element }, cells) {
  if (!cells.length) return;
  const box = element.parentElement;
  const edge = 6;
  const frame = box.getBoundingClientRect();
  const corner = element.rows[0].cells[0].getBoundingClientRect();  // stays in sight, and ends where the names do
  const rects = cells.map((cell) => cell.getBoundingClientRect());
  const first = Math.min(...rects.map((rect) => rect.left)) - Math.max(corner.right, frame.left) - edge;
  const last = Math.max(...rects.map((rect) => rect.right)) - frame.left - box.clientWidth + edge;
  box.scrollLeft += first < 0 ? first : Math.min(Math.max(last, 0), first);
}

/** Marks the two numbers that a line of the derivation multiplies. */
function light(state, line) {
  state.operands.querySelectorAll(".now").forEach((cell) => cell.classList.remove("now"));
  if (!line || !state.from) return;
  const k = Number(line.dataset.k);
  for (const term of [state.from.a[k], state.from.b[k]]) {
    if (term) mark(state.beside, term, "now");
  }
  state.beside.forEach((map) => bring(map, [...map.element.querySelectorAll("td.now")]));
}

/** Shows all slices in one grid, or one of them. */
function setGrid(state, isGrid) {
  if (!state.all || Boolean(state.isGrid) === isGrid) return;
  state.isGrid = isGrid;
  state.all.setAttribute("aria-pressed", String(isGrid));
  state.result.parentElement.classList.toggle("grid", isGrid);
}

/** Clears the chosen cell. */
function release(state) {
  state.pinned = null;
  explain(state, null);
  setAddress();
}

function moveCell(state, event) {
  const cell = event.target.closest("td[data-position]");
  if (!cell || event.altKey || event.metaKey) return;
  const position = Number(cell.dataset.position);
  const m = state.maps.findIndex((map) => map.cells.has(position));
  const map = state.maps[m];
  let { row, column } = map.cells.get(position);
  let to = map;
  switch (event.key) {
    case "ArrowLeft": --column; break;
    case "ArrowRight": ++column; break;
    case "ArrowUp": --row; break;
    case "ArrowDown": ++row; break;
    case "Home": column = 0; if (event.ctrlKey) { row = 0; to = state.maps[0]; } break;
    case "Enter":
      state.panel.querySelector(".answer :is(input, button)")?.focus();
      event.preventDefault();
      return;
    case "End":
      column = map.columns - 1;
      if (event.ctrlKey) { row = map.rows - 1; to = state.maps.at(-1); }
      break;
    case "Escape":
      articles[state.step].focus({ preventScroll: true });
      release(state);
      break;
    default: return;
  }
  event.preventDefault();
  event.stopPropagation();
  if (event.key === "Escape") return;
  if (row < 0 && state.maps[m - 1]) { to = state.maps[m - 1]; row = to.rows - 1; }
  if (row >= map.rows && state.maps[m + 1]) { to = state.maps[m + 1]; row = 0; }
  row = Math.min(Math.max(row, 0), to.rows - 1);
  column = Math.min(Math.max(column, 0), to.columns - 1);
  const [target] = [...to.cells].find(([, one]) => one.row === row && one.column === column);
  setFocusable(state, target);
  cellAt(state, target).focus();
}
