// ---- Colours -------------------------------------------------------------------------------------

/** The colour scale of some tensors' numbers. */
function scaleOf(tensors) {
  const finite = tensors.flatMap(exact).map(toNumber).filter(Number.isFinite);
  const low = Math.min(...finite);
  const high = Math.max(...finite);
  const signed = low < 0 && high > 0;
  const far = Math.max(-low, high);
  return { finite: finite.length > 0, signed, low: signed ? -far : low, high: signed ? far : high };
}

const sharedScales = new Map();  // of tensors as they are and as the chosen rule changes them
const scale = (node) => sharedScales.get(node) ?? (node.scale ??= scaleOf([node]));

function paint(cell, node, position, number = value({ node, position })) {
  const { signed, low, high } = scale(node);
  const isPlainZero = node.t === "bool" || node.zeroIsPlain;
  if (!Number.isFinite(number) || node.t === "int64" || (isPlainZero && number === 0)) {
    cell.classList.add("plain");
    return;
  }
  const share = node.t === "bool" ? 0.55 : high > low ? Math.min(Math.max((number - low) / (high - low), 0), 1) : 0.5;
  for (const theme of ["light", "dark"]) {
    const ramp = lesson.ramps[signed ? theme : "sequential"];
    const [colour, ink] = ramp[Math.round(share * (ramp.length - 1))];
    cell.style.setProperty(`--${theme}`, colour);
    cell.style.setProperty(`--${theme}-ink`, ink);
  }
}

function legend(node) {
  const { finite, signed, low, high } = scale(node);
  if (!finite || low === high || node.t !== "float32") return null;
  const bar = make("i", { "aria-hidden": "true" });
  for (const theme of ["light", "dark"]) {
    const ramp = lesson.ramps[signed ? theme : "sequential"];
    bar.style.setProperty(`--${theme}`, `linear-gradient(90deg, ${ramp.filter((_, i) => i % 4 === 0).map(([colour]) => colour).join()})`);
  }
  return make("div", { class: "legend" }, short(low), bar, short(high));
}

const short = (number) => String(Number(number.toPrecision(3)));

// ---- Heat maps -----------------------------------------------------------------------------------

/** The name of a row or column; lesson.css reserves space for it in bold. */
const heading = (scope, name) => make("th", { scope, "data-name": name }, name);

// The heads that share a tensor's columns: known from a view of it, or from the tensor that it is a view of.
for (const node of nodes) {
  const from = nodes[node.o[0]];
  if (!from || Math.abs(from.s.length - node.s.length) !== 1) continue;
  const [split, joined] = from.s.length < node.s.length ? [node, from] : [from, node];
  const axis = split.x.indexOf(2);
  if (axis >= 0 && joined.s.at(-1) === split.s[axis] * split.s.at(-1)) joined.heads = split.s[axis];
}

/** The head that a column belongs to; null if none. */
function headOf(node, lead, column) {
  if (node.heads > 1) return Math.floor((column * node.heads) / node.s.at(-1));
  const axis = node.x.indexOf(2);
  return axis >= 0 && axis < lead.length && node.s[axis] > 1 ? lead[axis] : null;
}

/** The last two axes as one table; `lead` is the index of the axes before them. */
function table(node, lead, focusable) {
  const shape = node.s;
  const isRow = shape.length < 2;
  const columns = shape.length ? shape[shape.length - 1] : 1;
  const rows = isRow ? 1 : shape[shape.length - 2];
  const columnAxis = shape.length - 1;
  const rowAxis = shape.length - 2;
  const names = lead.map((at, axis) => itemName(node, axis, at)).filter((name) => name !== null);
  const caption = make("caption", {}, make("span", {},
                       make("b", {}, nameOf(node) + (lead.length ? `[${lead.join(", ")}]` : "")),
                       ` [${(lead.length ? shape.slice(-2) : shape).join(", ")}]`, ...names.map((name) => ` ${name}`)));
  const head = make("tr", {}, make("td", { class: "corner" }));
  const heads = [];
  if (shape.length) {
    for (let column = 0; column < columns; ++column) {
      heads.push(heading("col", axisName(node, columnAxis, column)));
      const owner = headOf(node, lead, column);
      if (owner === null) continue;
      heads[column].setAttribute("title", `head ${owner + 1}`);
      heads[column].style.setProperty("--head", `hsl(${(owner * 137 + 210) % 360} 65% 50%)`);
    }
  }
  const cells = new Map();
  const body = make("tbody");
  for (let row = 0; row < rows; ++row) {
    const rowName = !isRow ? axisName(node, rowAxis, row) : node.w !== undefined ? tokensOf(node)[node.w] : "";
    const rowHead = rowName === "" ? null : heading("row", rowName);
    const line = make("tr", {}, rowHead ?? make("td", { class: "corner" }));
    for (let column = 0; column < columns; ++column) {
      const index = isRow ? (shape.length ? [column] : []) : [...lead, row, column];
      const position = positionOf(index, shape);
      const tabindex = focusable ? "-1" : null;
      const cell = make("td", { "data-position": position, tabindex }, printed(node)[position]);
      paint(cell, node, position);
      cells.set(position, { cell, row, column, rowHead, columnHead: heads[column] });
      line.append(cell);
    }
    body.append(line);
  }
  head.append(...heads);
  const element = make("table", { class: "map", role: focusable ? "grid" : null },
                       caption, heads.length ? make("thead", {}, head) : null, body);
  element.style.setProperty("--digits", Math.max(...printed(node).map((number) => number.length)));
  element.style.setProperty("--columns", columns);
  return { node, lead, element, cells, rows, columns };
}

/** Every index of the axes before the last two. */
function leads(shape) {
  return shape.slice(0, -2).reduce(
    (all, size) => all.flatMap((lead) => Array.from({ length: size }, (_, i) => [...lead, i])), [[]]);
}

const boxed = (map) =>
  make("div", { class: "box" }, scrolling(map.element, map.element.caption.textContent));

function unmark(maps) {
  for (const map of maps) {
    map.element.querySelectorAll(".met, .at, .now").forEach((cell) => cell.classList.remove("met", "at", "now"));
  }
}

function mark(maps, from, style) {
  for (const map of maps) {
    const found = map.node === from.node ? map.cells.get(from.position) : null;
    if (found) found.cell.classList.add(style);
  }
}

/** The heading of the row or column that contains all marked cells. */
function markHeads(maps) {
  for (const map of maps) {
    const marked = [...map.cells.values()].filter(({ cell }) => cell.matches(".met, .at"));
    for (const [axis, head] of [["row", "rowHead"], ["column", "columnHead"]]) {
      const isOne = marked.length && marked.every((one) => one[axis] === marked[0][axis]);
      if (isOne) marked[0][head]?.classList.add("met");
    }
  }
}
