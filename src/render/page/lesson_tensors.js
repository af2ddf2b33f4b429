const root = document.documentElement;
const lesson = JSON.parse(document.getElementById("lesson-data").textContent);
const { chapters, nodes, steps, tellings } = lesson;
const articles = [...document.querySelectorAll("article.step")];
const said = document.getElementById("lesson-said");
const mostTerms = 24;  // listed one by one in a derivation

/** make("td", {class: "met"}, "0.5"): children are nodes or text, never markup. */
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined && value !== false) element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

// ---- Boxes that scroll ---------------------------------------------------------------------------

/** Tab reaches a box that scrolls and has nothing in it that Tab reaches; so the arrow keys can scroll it. */
function reachable(box) {
  const scrolls = box.scrollWidth > box.clientWidth || box.scrollHeight > box.clientHeight;
  if (scrolls && !box.querySelector("a, [tabindex='0']")) box.setAttribute("tabindex", "0");
  else box.removeAttribute("tabindex");
  box.querySelector(".more")?.toggleAttribute("hidden", box.scrollHeight - box.clientHeight - box.scrollTop < 3);
}

/** Says that a box goes on below, and scrolls there; reachable() hides it at the end. */
function moreOf(box) {
  const button = make("button", { type: "button", class: "more", "aria-label": "More below" }, "▾ more");
  button.addEventListener("click", () => box.scrollBy({ top: 0.6 * box.clientHeight }));
  return button;
}

const resized = new ResizeObserver((entries) => entries.forEach(({ target }) => reachable(target)));

document.querySelectorAll(".scroll").forEach((box) => resized.observe(box));

function scrolling(child, name) {
  const box = make("div", { class: "scroll", role: "group", "aria-label": name }, child);
  resized.observe(box);
  return box;
}

// ---- Tensors: numbers, and where they came from --------------------------------------------------

const count = (node) => node.s.reduce((product, size) => product * size, 1);
const nameOf = (node) => node.n || node.e;
/** The words that the rows of its chapter's inputs stand for. */
const tokensOf = (node) => chapters[node.k ?? 0].tokens;

function indexAt(position, shape) {
  const index = [];
  for (let axis = shape.length - 1; axis >= 0; --axis) {
    index[axis] = position % shape[axis];
    position = Math.floor(position / shape[axis]);
  }
  return index;
}

const positionOf = (index, shape) => index.reduce((position, at, axis) => position * shape[axis] + at, 0);
const place = (node, position) => nameOf(node) + (node.s.length ? `[${indexAt(position, node.s).join(", ")}]` : "");

/** Which of the ways in c made the element; null where the page does not know. */
const caseOf = (node, position) => node.c?.[node.z ? node.z[position] : 0] ?? null;

/** The element's rank among those of its case. */
function rankOf(node, position) {
  if (!node.z) return position;
  let rank = 0;
  for (let before = 0; before < position; ++before) rank += node.z[before] === node.z[position] ? 1 : 0;
  return rank;
}

/** Where a line of places_json in page_cases.cpp begins for the element. */
const startOf = (node, position, line) =>
  indexAt(position, node.s).reduce((sum, at, axis) => sum + at * line[3 + axis], line[2]);

/** The places {node, position} that the lines say. */
function places(node, position, lines = []) {
  return lines.flatMap((line) => {
    const isLine = Array.isArray(line);
    const [operand, n] = isLine ? line : [line.o, line.n];
    const start = isLine ? startOf(node, position, line) : rankOf(node, position) * n;
    return Array.from({ length: n }, (_, k) => (
      { node: nodes[node.o[operand]], position: isLine ? start + k * line.at(-1) : line.x[start + k] }));
  });
}

/** All numbers as decimals that say exactly which float32 they are. */
function exact(node) {
  if (!node.exact) {
    node.exact = node.v !== undefined
      ? (node.v === "" ? [] : node.v.split(" "))
      : Array.from({ length: count(node) }, (_, position) => {
          const [from] = places(node, position, caseOf(node, position).a);
          return exact(from.node)[from.position];
        });
  }
  return node.exact;
}

const toNumber = (text) => (text === "inf" ? Infinity : text === "-inf" ? -Infinity : Number(text));
const value = (from) => toNumber(exact(from.node)[from.position]);
const exactAt = ({ node, position }) => (node.t === "bool" ? printed(node) : exact(node))[position];

/** All numbers as PyTorch prints them. */
const printed = (node) => (node.printed ??= node.p ? node.p.split(" ") : []);

/** What an item of an axis is called: a token, a head; else null. */
const itemName = (node, axis, at) => (node.x[axis] === 1 ? tokensOf(node)[at] : node.x[axis] === 2 ? `head ${at + 1}` : null);
/** What stands beside an axis: the item's name, or the index. */
const axisName = (node, axis, at) => itemName(node, axis, at) ?? String(at);

/** What the element was made of, and what is told of it; null where the page does not know. */
function derivation(node, position) {
  const way = caseOf(node, position);
  return way && {
    node,
    telling: tellings[way.r],
    a: places(node, position, way.a),
    b: places(node, position, way.b),
    bias: places(node, position, way.bias),
    own: way.at ? startOf(node, position, way.at[0]) : undefined,
    numbers: {},
  };
}
