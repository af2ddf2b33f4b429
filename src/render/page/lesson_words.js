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
    const way = caseOf(at.node, at.position);
    at = way?.r === "copy" ? places(at.node, at.position, way.a, 1)[0] : null;
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
              ...cells.map((cell) => make("td", {}, cell)));
}

const paragraph = (...children) => make("p", {}, ...children);
const code = (text) => make("code", {}, text);

/** For each rule: what is shown, and what is said. */
const tell = {
  given: (_, node) => {
    const text = node.n ? "Given: nothing was computed to get it." : `Given: ${node.e}.`;
    return { shown: [paragraph(text)], said: text };
  },
  copy: ({ a: [from] }) => ({
    shown: [paragraph("The same number as ", linkTo(from, place(from.node, from.position)), ".")],
    said: `the same number as ${place(from.node, from.position)}`,
  }),
  products: ({ a, b, bias }) => {
    const names = bestNames(a, b);
    let sum = 0;
    const rows = a.map((from, k) => {
      const product = value(from) * value(b[k]);
      sum += product;
      const factors = [linkTo(from, near(from)), "×", linkTo(b[k], near(b[k]))];
      return row(k, names[k], [...factors, decimals(product), decimals(sum)]);
    });
    if (bias) {
      sum += value(bias);
      rows.push(row(a.length, "bias", ["", "+", linkTo(bias, near(bias)), "", decimals(sum)]));
    }
    const terms = a.slice(0, mostTerms).map((from, k) => `${exactAt(from)} times ${exactAt(b[k])}`);
    return {
      shown: [tableOf(["", ...(a.length ? [nameOf(a[0].node), "", nameOf(b[0].node)] : ["", "", ""]),
                       "product", "sum"], rows)],
      said: terms.join(" plus ") + (bias ? ` plus the bias ${exactAt(bias)}` : ""),
    };
  },
  sum: ({ a }) => {
    const names = termNames(a);
    let sum = 0;
    const rows = a.map((from, k) => {
      sum += value(from);
      return row(k, names[k], [linkTo(from, near(from)), decimals(sum)]);
    });
    return {
      shown: [tableOf(["", nameOf(a[0].node), "sum"], rows)],
      said: a.slice(0, mostTerms).map(exactAt).join(" plus "),
    };
  },
  product: ({ a: [a], b: [b] }) => ({
    shown: [paragraph(linkTo(a, place(a.node, a.position)), " × ", linkTo(b, place(b.node, b.position))),
            paragraph(code(`${exactAt(a)} × ${exactAt(b)} = ${decimals(value(a) * value(b))}`))],
    said: `${exactAt(a)} times ${exactAt(b)}`,
  }),
  quotient: ({ a: [a], b: [b], constant }) => {
    const divisor = b ? exactAt(b) : constant;
    return {
      shown: [paragraph(linkTo(a, place(a.node, a.position)), " ÷ ",
                        b ? linkTo(b, place(b.node, b.position)) : divisor),
              paragraph(code(`${exactAt(a)} ÷ ${divisor} = ${decimals(value(a) / toNumber(divisor))}`))],
      said: `${exactAt(a)} divided by ${divisor}`,
    };
  },
  exponential: ({ a: [a] }) => ({
    shown: [paragraph("e to the power of ", linkTo(a, place(a.node, a.position))),
            paragraph(code(`exp(${exactAt(a)}) = ${decimals(Math.exp(value(a)))}`))],
    said: `e to the power of ${exactAt(a)}`,
  }),
  softmax: ({ a, own }) => {
    const names = termNames(a);
    const numbers = a.map(value);
    const max = Math.max(...numbers);
    const powers = numbers.map((number) => Math.exp(number - max));
    const total = powers.reduce((sum, power) => sum + power, 0);
    const rows = a.map((from, k) =>
      row(k, names[k], [linkTo(from, near(from)), ...[numbers[k] - max, powers[k], powers[k] / total].map(decimals)],
          k === own));
    const text = `${decimals(powers[own])} ÷ ${decimals(total)} = ${decimals(powers[own] / total)}`;
    return {
      shown: [tableOf(["", "x", "x − max", "exp(x − max)", "÷ sum"], rows),
              paragraph("The exponentials sum to ", code(decimals(total)), "."), paragraph(code(text))],
      said: `the exponential ${decimals(powers[own])} divided by the row's sum of exponentials ${decimals(total)}`,
    };
  },
  masked: ({ a: [from], constant }, node) => ({
    shown: [paragraph("Masked: ", linkTo(from, place(from.node, from.position)),
                      " is True, so the number is replaced by ", code(constant ?? "0"), "."),
            constant === "-inf" ? paragraph("Softmax makes 0 of it: exp(-inf) = 0.") : null].filter(Boolean),
    said: `masked: replaced by ${constant === "-inf" ? "minus infinity" : constant ?? "0"}`,
  }),
  kept: ({ a: [a], b: [b], constant }) => ({
    shown: [paragraph("Kept: ", linkTo(b, place(b.node, b.position)), " is True. What dropout keeps is scaled by ",
                      "1 / (1 − p) = ", code(constant), "."),
            paragraph(code(`${exactAt(a)} × ${constant} = ${decimals(value(a) * toNumber(constant))}`))],
    said: `kept: ${exactAt(a)} times ${constant}`,
  }),
  dropped: ({ a: [a], b: [b] }) => ({
    shown: [paragraph("Dropped: ", linkTo(b, place(b.node, b.position)), " is False, so ", linkTo(a, exactAt(a)),
                      " becomes 0.")],
    said: `dropped: ${exactAt(a)} becomes 0`,
  }),
  comparison: ({ a, b }) => {
    const same = a.filter((from, k) => exactAt(from) === exactAt(b[k])).length;
    const furthest = Math.max(...a.map((from, k) => Math.abs(value(from) - value(b[k]))));
    const difference = furthest ? furthest.toExponential(1) : 0;
    const text = `${a.length} pairs compared, ${same} of them equal; the largest difference is ${difference}.`;
    return { shown: [paragraph(text)], said: text };
  },
};
