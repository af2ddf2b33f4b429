"use strict";
(() => {
  const root = document.documentElement;
  const lesson = JSON.parse(document.getElementById("lesson-data").textContent);
  const { nodes, steps, tokens } = lesson;
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

  // ---- Tensors: numbers, and where they came from --------------------------------------------------

  const count = (node) => node.s.reduce((product, size) => product * size, 1);
  const nameOf = (node) => node.n || node.e;

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

  /** The n places {node, position} that the map says; see places_json in html.cpp. */
  function places(node, position, map, n) {
    if (!map) return [];
    const found = [];
    for (let k = 0; k < n; ++k) {
      if (Array.isArray(map)) {
        const along = indexAt(position, node.s).reduce((sum, at, axis) => sum + at * map[2 + axis], map[1]);
        found.push({ node: nodes[node.o[map[0]]], position: along + k * map[map.length - 1] });
      } else {
        found.push({ node: nodes[node.o[map.o]], position: map.x[rankOf(node, position) * n + k] });
      }
    }
    return found;
  }

  /** All numbers as decimals that say exactly which float32 they are. */
  function exact(node) {
    if (!node.exact) {
      node.exact = node.v !== undefined
        ? (node.v === "" ? [] : node.v.split(" "))
        : Array.from({ length: count(node) }, (_, position) => {
            const [from] = places(node, position, caseOf(node, position).a, 1);
            return exact(from.node)[from.position];
          });
    }
    return node.exact;
  }

  const toNumber = (text) => (text === "inf" ? Infinity : text === "-inf" ? -Infinity : Number(text));
  const value = (from) => toNumber(exact(from.node)[from.position]);
  const exactAt = ({ node, position }) => (node.t === "bool" ? printed(node) : exact(node))[position];

  /** All numbers as PyTorch prints them. */
  function printed(node) {
    if (!node.printed) {
      const text = node.p ?? articles[node.i].querySelector(".out").textContent;
      const numbers = text.slice(text.indexOf("tensor(") + 7).match(/[^\s,[\]()]+/g) ?? [];
      node.printed = numbers.slice(0, count(node));
    }
    return node.printed;
  }

  /** What stands beside an axis: a token's name, or the index. */
  const axisName = (node, axis, at) => (node.x[axis] ? tokens[at] : String(at));

  function derivation(node, position) {
    const way = caseOf(node, position);
    if (!way) return null;
    const result = {
      rule: way.r,
      a: places(node, position, way.a, way.n),
      b: places(node, position, way.b, way.n),
      bias: places(node, position, way.bias, 1)[0],
      constant: way.c,
    };
    if (way.at) {
      const map = way.at;
      result.own = indexAt(position, node.s).reduce((sum, at, axis) => sum + at * map[2 + axis], map[1]);
    }
    return result;
  }

  // ---- Colours -------------------------------------------------------------------------------------

  function luminance(hex) {
    const [r, g, b] = [1, 3, 5].map((i) => {
      const channel = parseInt(hex.slice(i, i + 2), 16) / 255;
      return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  }

  /** Black or white: one of the two has a contrast of 4.58 at least. */
  const inkOn = (hex) => ((luminance(hex) + 0.05) ** 2 > 1.05 * 0.05 ? "#000" : "#fff");

  function scale(node) {
    if (!node.scale) {
      const finite = exact(node).map(toNumber).filter(Number.isFinite);
      const low = Math.min(...finite);
      const high = Math.max(...finite);
      const signed = low < 0 && high > 0;
      const far = Math.max(-low, high);
      node.scale = { finite: finite.length > 0, signed, low: signed ? -far : low, high: signed ? far : high };
    }
    return node.scale;
  }

  function paint(cell, node, position) {
    const number = value({ node, position });
    const { signed, low, high } = scale(node);
    if (!Number.isFinite(number) || node.t === "int64" || (node.t === "bool" && number === 0)) {
      cell.classList.add("plain");
      return;
    }
    const share = node.t === "bool" ? 0.55 : high > low ? (number - low) / (high - low) : 0.5;
    for (const theme of ["light", "dark"]) {
      const ramp = lesson.ramps[signed ? theme : "sequential"];
      const colour = ramp[Math.round(share * (ramp.length - 1))];
      cell.style.setProperty(`--${theme}`, colour);
      cell.style.setProperty(`--${theme}-ink`, inkOn(colour));
    }
  }

  function legend(node) {
    const { finite, signed, low, high } = scale(node);
    if (!finite || low === high || node.t !== "float32") return null;
    const bar = make("i", { "aria-hidden": "true" });
    for (const theme of ["light", "dark"]) {
      const ramp = lesson.ramps[signed ? theme : "sequential"];
      bar.style.setProperty(`--${theme}`, `linear-gradient(90deg, ${ramp.filter((_, i) => i % 4 === 0).join()})`);
    }
    return make("div", { class: "legend" }, short(low), bar, short(high));
  }

  const short = (number) => String(Number(number.toPrecision(3)));

  // ---- Heat maps -----------------------------------------------------------------------------------

  /** The last two axes as one table; `lead` is the index of the axes before them. */
  function table(node, lead, focusable) {
    const shape = node.s;
    const isRow = shape.length < 2;
    const columns = shape.length ? shape[shape.length - 1] : 1;
    const rows = isRow ? 1 : shape[shape.length - 2];
    const columnAxis = shape.length - 1;
    const rowAxis = shape.length - 2;
    const caption = make("caption", {}, make("b", {}, nameOf(node) + (lead.length ? `[${lead.join(", ")}]` : "")),
                         ` [${(lead.length ? shape.slice(-2) : shape).join(", ")}]`);
    const head = make("tr", {}, make("td", { class: "corner" }));
    const heads = [];
    if (shape.length) {
      for (let column = 0; column < columns; ++column) {
        heads.push(make("th", { scope: "col" }, axisName(node, columnAxis, column)));
      }
    }
    const cells = new Map();
    const body = make("tbody");
    for (let row = 0; row < rows; ++row) {
      const rowName = !isRow ? axisName(node, rowAxis, row) : node.w !== undefined ? tokens[node.w] : "";
      const rowHead = rowName === "" ? make("td", { class: "corner" }) : make("th", { scope: "row" }, rowName);
      const line = make("tr", {}, rowHead);
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
    return { node, lead, element, cells, rows, columns };
  }

  /** Every index of the axes before the last two. */
  function leads(shape) {
    return shape.slice(0, -2).reduce(
      (all, size) => all.flatMap((lead) => Array.from({ length: size }, (_, i) => [...lead, i])), [[]]);
  }

  const boxed = (map) => make("div", { class: "box" }, make("div", { class: "scroll" }, map.element));

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

  /** The heading of the row or the column in which all marked cells are. */
  function markHeads(maps) {
    for (const map of maps) {
      const marked = [...map.cells.values()].filter(({ cell }) => cell.matches(".met, .at"));
      for (const [axis, head] of [["row", "rowHead"], ["column", "columnHead"]]) {
        const isOne = marked.length && marked.every((one) => one[axis] === marked[0][axis]);
        if (isOne) marked[0][head]?.classList.add("met");
      }
    }
  }

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
    const heads = headings.map((heading) => make("th", { scope: "col" }, ...breakable(heading)));
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
    const named = (terms) => terms.length > 1 && termNames(terms).some((name) => tokens.includes(name));
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
    return make("div", { class: "scroll" }, make("table", {}, columnsOf(headings), body));
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

  // ---- A step --------------------------------------------------------------------------------------

  const views = steps.map(() => null);

  /** The steps that a node was made from: the nearest ones, through what is no step. */
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

  /** Draws the step's heat maps, once. */
  function view(step) {
    const node = nodeOf(step);
    if (views[step] || !node) return views[step];
    const article = articles[step];
    const links = [stepLinks("made from ", sources(node)), stepLinks("used for ", uses[step])].filter(Boolean);
    article.querySelector(".links").append(...links);
    const look = article.querySelector(".look");
    if (!count(node) || printed(node).length !== count(node)) return null;
    const drawn = article.querySelector(".printed");
    drawn.open = false;
    drawn.classList.add("drawn");

    const maps = leads(node.s).map((lead) => table(node, lead, true));
    const slices = maps.length > 1 ? make("div", { class: "slices", role: "group", "aria-label": "Slices" }) : null;
    const boxes = maps.map(boxed);
    const result = make("div", { class: "result" }, make("div", { class: "tools" }, slices, legend(node)), ...boxes);
    const operands = make("div", { class: "operands" });
    const panel = make("section", { class: "derivation", "aria-label": "How a number came about" });
    look.append(result, panel, operands);
    const state = {
      step, node, maps, boxes, slices, result, operands, panel,
      beside: [], pinned: null, shown: null, focusable: null,
    };
    views[step] = state;
    maps.forEach((map) => {
      const button = make("button", { type: "button" }, `[${map.lead.join(", ")}]`);
      button.addEventListener("click", () => {
        const first = Math.min(...map.cells.keys());
        state.pinned = null;
        setFocusable(state, first);
        explain(state, null);
        besides(state, first);
      });
      slices?.append(button);
    });
    setFocusable(state, 0);
    besides(state, 0);
    hint(state);

    result.addEventListener("pointerover", (event) => {
      const cell = event.target.closest("td[data-position]");
      if (cell && event.pointerType !== "touch") explain(state, Number(cell.dataset.position));
    });
    result.addEventListener("pointerleave", () => explain(state, state.pinned));
    result.addEventListener("click", (event) => {
      const cell = event.target.closest("td[data-position]");
      if (cell) cell.focus();
    });
    result.addEventListener("focusin", (event) => {
      const cell = event.target.closest("td[data-position]");
      if (!cell) return;
      state.pinned = Number(cell.dataset.position);
      setFocusable(state, state.pinned);
      explain(state, state.pinned);
      said.textContent = state.said ?? "";
    });
    result.addEventListener("keydown", (event) => moveCell(state, event));
    panel.addEventListener("pointerover", (event) => light(state, event.target.closest("tr[data-k]")));
    panel.addEventListener("pointerleave", () => light(state, null));
    return state;
  }

  const cellAt = (state, position) => state.maps.find((map) => map.cells.has(position))?.cells.get(position).cell;

  /** The one element that Tab reaches, and its slice the one that is seen. */
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

  /** The operands' tables in which an element's terms are: of more than two axes, the one slice that is needed. */
  function besides(state, position) {
    const from = derivation(state.node, position);
    const wanted = [];
    const terms = from ? [...from.a, ...from.b, from.bias] : [];
    const isMasked = state.node.c?.length > 1;
    if (from && isMasked) {  // show all operands, whichever way this element took
      state.node.o.forEach((operand, i) => {
        const shared = terms.some((term) => term?.node === nodes[operand]);
        if (!shared && nodes[operand].s.length <= state.node.s.length && i < 4) {
          const index = indexAt(position, state.node.s).slice(-nodes[operand].s.length);
          terms.push({ node: nodes[operand], position: positionOf(index, nodes[operand].s) });
        }
      });
      const order = (term) => state.node.o.indexOf(nodes.indexOf(term?.node));
      terms.sort((one, other) => order(one) - order(other));
    }
    for (const term of terms) {
      if (!term || printed(term.node).length !== count(term.node)) continue;
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
    state.said = "";
    const text = "Point at a number, or press Tab and then the arrow keys, to see how it came about.";
    state.panel.replaceChildren(make("p", { class: "hint" }, text));
  }

  /** Shows how the element came about; null: nothing is chosen. */
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
    for (const term of from ? [...from.a, ...from.b, from.bias] : []) {
      if (term) mark(state.beside, term, "met");
    }
    if (from?.own !== undefined) mark(state.beside, from.a[from.own], "at");
    markHeads([...state.maps, ...state.beside]);
    scrollIntoBoxes(state);

    const index = indexAt(position, node.s);
    const who = index.map((at, axis) => (node.x[axis] ? tokens[at] : null)).filter((name) => name !== null);
    if (node.w !== undefined) who.unshift(tokens[node.w]);
    const unknown = { shown: [paragraph("What it was computed from is too large for this page.")], said: "" };
    const told = from ? tell[from.rule](from, node) : unknown;
    const number = exactAt({ node, position });
    const short = printed(node)[position];
    panel.replaceChildren(
      make("h3", {}, code(place(node, position)),
           who.length ? make("span", { class: "who" }, ` ${who.join(" → ")}`) : null),
      ...told.shown,
      make("p", { class: "total" }, "= ", make("b", {}, short),
           number === short ? null : make("small", {}, ` printed; in float32 ${number}`)));
    state.said = `${[place(node, position), ...who].join(", ")}: ${told.said ? `${told.said} is ` : ""}${short}`;
    state.from = from;
  }

  /** Brings the operand cells that meet into sight inside their boxes, without moving the page. */
  function scrollIntoBoxes(state) {
    for (const map of state.beside) {
      const box = map.element.parentElement;
      const cell = map.element.querySelector("td.at, td.met");
      if (!cell || box.scrollWidth <= box.clientWidth) continue;
      const left = cell.offsetLeft - box.offsetLeft;
      if (left < box.scrollLeft || left + cell.offsetWidth > box.scrollLeft + box.clientWidth) {
        box.scrollLeft = left - box.clientWidth / 2;
      }
    }
  }

  /** Marks the two numbers that a line of the derivation multiplies. */
  function light(state, line) {
    state.operands.querySelectorAll(".now").forEach((cell) => cell.classList.remove("now"));
    if (!line || !state.from) return;
    const k = Number(line.dataset.k);
    for (const term of [state.from.a[k], state.from.b[k]]) {
      if (term) mark(state.beside, term, "now");
    }
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
      case "End":
        column = map.columns - 1;
        if (event.ctrlKey) { row = map.rows - 1; to = state.maps.at(-1); }
        break;
      case "Escape":
        articles[state.step].focus({ preventScroll: true });
        state.pinned = null;
        explain(state, null);
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

  // ---- From step to step ---------------------------------------------------------------------------

  let current = -1;
  const entries = [...document.querySelectorAll("nav a")];
  const previous = document.querySelector(".previous");
  const next = document.querySelector(".next");
  const counter = document.querySelector(".counter");
  const bar = document.querySelector(".progress div");
  const contents = document.querySelector(".toggle-contents");

  function openContents(open) {
    root.classList.toggle("contents-open", open);
    contents.setAttribute("aria-expanded", String(open));
  }

  function show(step, position, byUser) {
    if (step !== current) {
      articles[current]?.classList.remove("current");
      entries[current]?.removeAttribute("aria-current");
      current = step;
      articles[step].classList.add("current");
      entries[step].setAttribute("aria-current", "step");
      const nav = entries[step].closest("nav");
      nav.scrollTop = entries[step].offsetTop - nav.clientHeight / 2;
      view(step);
      previous.disabled = step === 0;
      next.disabled = step === steps.length - 1;
      counter.textContent = `${step + 1} / ${steps.length}`;
      bar.style.width = `${(100 * (step + 1)) / steps.length}%`;
      window.scrollTo(0, 0);
    }
    openContents(false);
    const cell = position === null || !views[step] ? null : cellAt(views[step], position);
    if (cell) {
      setFocusable(views[step], position);
      cell.focus();
    } else if (byUser) articles[step].focus({ preventScroll: true });
  }

  /** "#attn_scores[1,2]": a step, and perhaps an element. */
  function fromAddress(byUser) {
    const [, id, , index] = /^#([^[]*)(\[([\d,\s]*)\])?$/.exec(safeDecode(location.hash)) ?? [];
    const step = steps.findIndex((one) => one.id === id);
    if (step < 0) {
      if (current < 0) show(0, null, false);
      return;
    }
    const at = index ? index.split(",").map(Number) : [];
    const shape = nodeOf(step)?.s ?? [];
    const fits = at.length === shape.length && at.length > 0 && at.every((i, axis) => i < shape[axis]);
    show(step, fits ? positionOf(at, shape) : null, byUser);
  }

  function safeDecode(text) {
    try { return decodeURIComponent(text); } catch { return text; }
  }

  function go(step) {
    const to = Math.min(Math.max(step, 0), steps.length - 1);
    if (to === current) return;
    location.hash = steps[to].id;  // hashchange shows it
  }

  document.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (event.target.closest("pre, input, textarea, select") && !event.key.startsWith("Page")) return;
    switch (event.key) {
      case "ArrowLeft": case "PageUp": go(current - 1); break;
      case "ArrowRight": case "PageDown": go(current + 1); break;
      case "Home": go(0); break;
      case "End": go(steps.length - 1); break;
      case "Escape": openContents(false); return;
      default: return;
    }
    event.preventDefault();
  });
  previous.addEventListener("click", () => go(current - 1));
  next.addEventListener("click", () => go(current + 1));
  contents.addEventListener("click", () => openContents(!root.classList.contains("contents-open")));
  document.querySelector("main").addEventListener("pointerdown", () => openContents(false));
  window.addEventListener("hashchange", () => fromAddress(true));
  window.addEventListener("beforeprint", () => steps.forEach((_, step) => view(step)));

  // ---- Light and dark ------------------------------------------------------------------------------

  const system = matchMedia("(prefers-color-scheme: dark)");
  const themeButton = document.querySelector(".theme");
  let chosen = null;
  try { chosen = localStorage.getItem("attn-theme"); } catch { /* a page from disk may have no storage */ }

  function setTheme() {
    const dark = chosen ? chosen === "dark" : system.matches;
    root.dataset.theme = dark ? "dark" : "light";
    themeButton.setAttribute("aria-pressed", String(dark));
  }

  themeButton.addEventListener("click", () => {
    chosen = root.dataset.theme === "dark" ? "light" : "dark";
    try { localStorage.setItem("attn-theme", chosen); } catch { /* as above */ }
    setTheme();
  });
  themeButton.setAttribute("aria-label", "Dark theme");
  system.addEventListener("change", setTheme);
  setTheme();

  if (steps.length) {
    root.classList.add("steps-live");
    fromAddress(false);
  }
})();
