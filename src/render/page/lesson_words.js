// ---- Derivations in words and tables -------------------------------------------------------------

function decimals(number) {
  const size = Math.abs(number);
  if (!Number.isFinite(number)) return String(number).replace("Infinity", "inf").replace("NaN", "nan");
  return number === 0 || (size >= 1e-4 && size < 1e7) ? number.toFixed(6) : number.toExponential(4);
}

/** An element's number for a table: all its digits where they are few. The heading's small print has them all. */
function near(from) {
  const text = exactAt(from);
  return text.length <= 9 ? text : decimals(toNumber(text));
}

/** Links to an element: its step if it has one, else that of the tensor which it is a view of. */
function linkTo(from, text) {
  for (let at = from; at; ) {
    if (at.node.i !== undefined) {
      const index = indexAt(at.position, at.node.s);
      return make("a", { href: `#${steps[at.node.i].id}${index.length ? `[${index.join()}]` : ""}` }, text);
    }
    const from = derivation(at.node, at.position);
    at = from?.telling.copy ? from.a[0] : null;
  }
  return text;
}

function columnsOf(headings) {
  const heads = headings.map((heading) =>
    heading ? make("th", { scope: "col" }, ...breakable(heading)) : make("td"));
  return make("thead", {}, make("tr", {}, ...heads));
}

/** A name that may break after its underscores. */
const breakable = (name) => name.split(/(?<=_)/).flatMap((part, i) => (i ? [make("wbr"), part] : [part]));

/** Which name a term goes by: that of the axis along which the terms run. */
function termNames(terms) {
  if (terms.length < 2) return ["0"];
  if (terms[0].node !== terms[1].node) return terms.map((term) => nameOf(term.node));
  const [first, second] = terms.map((term) => indexAt(term.position, term.node.s));
  const axis = first.findIndex((at, i) => at !== second[i]);
  return terms.map((term) => {
    const index = indexAt(term.position, term.node.s);
    return axis < 0 ? "" : axisName(term.node, axis, index[axis]);
  });
}

function bestNames(a, b) {
  const named = (terms) => terms.length > 1 && termNames(terms).some((name) => tokensOf(terms[0].node).includes(name));
  return named(a) || !named(b) ? termNames(a) : termNames(b);
}

/** Rows of a table; where there are many, those in the middle are left out. */
function listed(rows, width) {
  if (rows.length <= mostTerms) return rows;
  const gap = make("tr", {}, make("td", { colspan: width }, `… ${rows.length - mostTerms} more …`));
  return [...rows.slice(0, mostTerms - 4), gap, ...rows.slice(-4)];
}

function tableOf(headings, rows) {
  const body = make("tbody", {}, ...listed(rows, headings.length));
  return scrolling(make("table", {}, columnsOf(headings), body), "The numbers one by one");
}

function row(k, name, cells, own) {
  return make("tr", { "data-k": k, class: own ? "own" : null }, make("th", { scope: "row" }, name),
              ...cells.map((pieces) => make("td", {}, ...pieces)));
}

const paragraph = (...children) => make("p", {}, ...children);
const code = (text) => make("code", {}, text);

// ---- What is told: patterns, filled in as told.hpp says ------------------------------------------

const elementwise = (operation) => (x, y = []) => {
  const at = (numbers, k) => numbers[numbers.length === 1 ? 0 : k];
  return Array.from({ length: Math.max(x.length, y.length) }, (_, k) => operation(at(x, k), at(y, k)));
};
function running(x, y = []) {
  let sum = 0;
  return [...x, ...y].map((number) => (sum += number));
}

/** Columns of numbers, each made of one or two others. */
const operations = {
  "*": elementwise((x, y) => x * y),
  "/": elementwise((x, y) => x / y),
  "-": elementwise((x, y) => x - y),
  exp: elementwise(Math.exp),
  cos: elementwise(Math.cos),
  sin: elementwise(Math.sin),
  sqrt: elementwise(Math.sqrt),
  rsqrt: elementwise((x) => 1 / Math.sqrt(x)),
  abs: elementwise(Math.abs),
  equal: elementwise((x, y) => Number(Object.is(x, y))),
  float32: elementwise(Math.fround),
  largest: (x) => [Math.max(...x)],
  running,
  total: (x, y) => [running(x, y).at(-1) ?? 0],
};

/** A column's numbers, or an operand's, or the constant. */
function numbersIn(from, name) {
  if (!from.numbers[name]) {
    const [, operation, ...columns] = from.telling.columns?.find((column) => column[0] === name) ?? [];
    from.numbers[name] = operation ? operations[operation](...columns.filter(Boolean).map((one) => numbersIn(from, one)))
      : name === "c" ? [toNumber(from.telling.c)] : from[name].map(value);
  }
  return from.numbers[name];
}

/** As the step's heading says it. */
const expressionOf = (node) => articles[node.i].querySelector(".expression code").textContent.replace(/^.*? = /, "");

/** What stands for a pattern's {word}: text or a link, of term k. */
function piece(from, word, k) {
  if (word === "name") return nameOf(from.node);
  if (word === "expression") return from.node.e ?? expressionOf(from.node);
  const [, mark, name, ofOperand] = /^([=~!#^]?)(\w+)( name)?$/.exec(word);
  const term = from[name]?.[k] ?? from[name]?.[0];
  if (ofOperand) return nameOf(term.node);
  if (term) {
    return mark === "=" ? exactAt(term)
      : linkTo(term, mark === "~" ? near(term) : mark === "!" ? exactAt(term) : place(term.node, term.position));
  }
  if (name === "c") return from.telling.c;
  const column = numbersIn(from, name);
  const number = column[column.length === 1 ? 0 : k];
  return mark === "#" || (mark === "^" && number === 0) ? String(number)
    : mark === "^" ? number.toExponential(1) : decimals(number);
}

/** The pattern's pieces, of term k, or of the element's own. */
const pieces = (from, pattern, k = from.own ?? 0) =>
  pattern.split(/\{(.*?)\}/).map((part, i) => (i % 2 ? piece(from, part, k) : part)).filter((part) => part !== "");

const spoken = (from, pattern, k) => pieces(from, pattern, k).map((part) => part.textContent ?? part).join("");
const sentence = (from, pattern) =>
  paragraph(...pattern.split("`").flatMap((part, i) => (i % 2 ? code(spoken(from, part)) : pieces(from, part))));

/** What is told of an element: a table, paragraphs, and what is said. */
function tell(from) {
  const { head, each, bias, shown, saidEach, said } = from.telling;
  const { a, b, own } = from;
  const table = [];
  if (head) {
    const names = bestNames(a, b);
    const rows = a.map((_, k) => row(k, names[k], each.map((cell) => pieces(from, cell, k)), k === own));
    if (from.bias.length) {
      const [name, ...cells] = bias;
      rows.push(row(a.length, name, cells.map((cell) => pieces(from, cell, a.length)), false));
    }
    table.push(tableOf(head.map((name) => spoken(from, name)), rows));
  }
  const terms = saidEach ? a.slice(0, mostTerms).map((_, k) => spoken(from, saidEach, k)) : [];
  return {
    shown: [...table, ...shown.map((pattern) => sentence(from, pattern))],
    said: terms.join(" plus ") + spoken(from, said),
  };
}
