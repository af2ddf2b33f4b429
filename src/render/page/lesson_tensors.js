const root = document.documentElement;

/** Listens to what outlives the lesson, for as long as the lesson is on the page. */
const listen = (target, event, act) => target.addEventListener(event, act, { signal: life });

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

function action(text, act, attributes = {}) {
  const button = make("button", { type: "button", ...attributes }, text);
  button.addEventListener("click", act);
  return button;
}

// ---- Boxes that scroll ---------------------------------------------------------------------------

/** Lets Tab reach a scrolling box without focusable content, so that the arrow keys can scroll it. */
function reachable(box) {
  const scrolls = box.scrollWidth > box.clientWidth || box.scrollHeight > box.clientHeight;
  if (scrolls && !box.querySelector("a, [tabindex='0']")) box.setAttribute("tabindex", "0");
  else box.removeAttribute("tabindex");
  box.querySelector(".more")?.toggleAttribute("hidden", box.scrollHeight - box.clientHeight - box.scrollTop < 3);
}

/** A button that says that a box goes on below, and scrolls there; reachable() hides it at the end. */
const moreOf = (box) => action("▾ more", () => box.scrollBy({ top: 0.6 * box.clientHeight }),
                               { class: "more", "aria-label": "More below" });

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
/** The words of the rows of the chapter's inputs. */
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

/** The element {node, position} of an operand; `at` counts the elements of all operands, one after the other. */
function operandAt(node, at) {
  for (const operand of node.o) {
    if (at < count(nodes[operand])) return { node: nodes[operand], position: at };
    at -= count(nodes[operand]);
  }
  return null;
}

/** All numbers as decimals that identify their float32 exactly. */
function exact(node) {
  if (!node.exact) {
    node.exact = node.v !== undefined
      ? (node.v === "" ? [] : node.v.split(" "))
      : Array.from({ length: count(node) }, (_, position) => {
          const from = operandAt(node, node.d[position][1][0]);
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

/** The name of an item of an axis: a token, a head; else null. */
const itemName = (node, axis, at) => (node.x[axis] === 1 ? tokensOf(node)[at] : node.x[axis] === 2 ? `head ${at + 1}` : null);
/** The label beside an axis: the item's name, or the index. */
const axisName = (node, axis, at) => itemName(node, axis, at) ?? String(at);

/** The element's derivation; null if the page does not know it. */
function derivation(node, position) {
  if (!node.d?.length) return null;
  const [which, ...places] = node.d[position];
  const telling = tellings[which];
  const [a, b, bias] = [0, 1, 2].map((side) => (places[side] ?? []).map((at) => operandAt(node, at)));
  const own = telling.own ? a.findIndex((term) => term.position === position) : undefined;  // its own term
  return { node, telling, a, b, bias, own, numbers: {} };
}
