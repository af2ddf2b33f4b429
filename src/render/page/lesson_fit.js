// ---- A step's picture, fitted into the window ----------------------------------------------------

const staged = matchMedia("screen and (min-width: 900px) and (min-height: 560px)");
// The height of a map's numbers, in rem, and what is above and below them, in em.
const densities = [[1.5, 0.2], [1.3, 0.18], [1.15, 0.16], [1, 0.16], [0.9, 0.14], [0.8125, 0.12], [0.8125, 0]];
const scrollbar = 12;  // as in lesson_stage.css

/** Divides the space: a piece that needs less than an even share gets what it needs; the others share the rest evenly. */
function share(room, needs) {
  const given = [];
  let left = room;
  [...needs.keys()].sort((one, other) => needs[one] - needs[other]).forEach((i, rank) => {
    given[i] = Math.max(0, Math.min(needs[i], left / (needs.length - rank)));
    left -= given[i];
  });
  return given;
}

/** The height that a piece needs, with a scrollbar if it is wider than its space. */
const tall = (need, width) => need.h + (need.w > width ? scrollbar : 0);
const lower = (have, want, spare) => have + Math.min(Math.max(spare, 0), Math.max(want - have, 0));

function inRow(boxes, gap) {
  const w = boxes.reduce((sum, box) => sum + box.w + gap, -gap);
  return { w: Math.max(w, 0), h: Math.max(0, ...boxes.map((box) => box.h)) };
}

function inColumn(boxes, gap) {
  const { w, h } = inRow(boxes.map((box) => ({ w: box.h, h: box.w })), gap);
  return { w: h, h: w };
}

/** The heights of two rows, and the space left over. */
function rowsOf(room, gap, top, bottom) {
  const space = room.h - (bottom ? gap : 0);
  const [above, below] = share(space, [top, bottom]);
  return { above, below, spare: space - above - below };
}

/** The possible arrangements of the map, its operands and the derivation: the space of each. */
const arrangements = {
  /** The derivation beside the map, the operands below both. */
  below(room, { result, panel, operands, gap, least }) {
    const row = inRow(operands, gap);
    const left = Math.min(result.w, room.w - gap - panel.w);
    const beside = Math.max(tall(result, left), Math.min(panel.h, least));
    const { above, below, spare } = rowsOf(room, gap, beside, row.h && tall(row, room.w));
    const top = lower(above, panel.h, spare);
    const right = room.w - gap - left;
    return { columns: [left, right], rows: [top, below], result: { w: left, h: top },
             operands: { w: room.w, h: below, need: row }, panel: { w: right, h: top } };
  },
  /** The operands below the map, the derivation beside both. */
  aside(room, { result, panel, operands, gap }) {
    const row = inRow(operands, gap);
    const left = Math.min(Math.max(result.w, row.w), room.w - gap - panel.w);
    const { above, below, spare } = rowsOf(room, gap, tall(result, left), row.h && tall(row, left));
    const height = above + below + (row.h ? gap : 0);
    const bottom = below + lower(height, panel.h, spare) - height;
    const right = room.w - gap - left;
    return { columns: [left, right], rows: [above, bottom], result: { w: left, h: above },
             operands: { w: left, h: below, need: row }, panel: { w: right, h: lower(height, panel.h, spare) } };
  },
  /** The map from edge to edge, the operands and the derivation below it. */
  under(room, { result, panel, operands, gap, least }) {
    const row = inRow(operands, gap);
    const left = Math.min(row.w, room.w - gap - panel.w);
    const beside = Math.max(tall(row, left), Math.min(panel.h, least));
    const { above, below, spare } = rowsOf(room, gap, tall(result, room.w), beside);
    const bottom = lower(below, panel.h, spare);
    const right = room.w - (left ? gap + left : 0);
    return { columns: [left, right], rows: [above, bottom], result: { w: room.w, h: above },
             operands: { w: left, h: bottom, need: row }, panel: { w: right, h: bottom } };
  },
  /** The operands beside the map, the derivation below both. */
  abreast(room, { result, panel, operands, gap }) {
    const row = inRow(operands, gap);
    const [left, right] = share(room.w - gap, [result.w, row.w]);
    const { above, below } = rowsOf(room, gap, Math.max(tall(result, left), tall(row, right)), panel.h);
    return { columns: [left, room.w - gap - left], rows: [above, below], result: { w: left, h: above },
             operands: { w: right, h: above, need: row }, panel: { w: room.w, h: below } };
  },
  /** The map, its operands one below the other, the derivation: side by side. */
  three(room, { result, panel, operands, gap }) {
    const column = inColumn(operands, gap);
    const space = room.w - 2 * gap - panel.w;
    const left = Math.min(result.w, Math.max(space - column.w, space * 0.6));
    const middle = Math.min(column.w, space - left);
    const height = Math.min(room.h, Math.max(tall(result, left), tall(column, middle), panel.h));
    const right = room.w - left - middle - 2 * gap;
    return { columns: [left, middle, right], rows: [height], result: { w: left, h: height },
             operands: { w: middle, h: height, need: column }, panel: { w: right, h: height } };
  },
};

/** The hidden share of a piece, from 0 to 1. */
const hidden = (need, room) =>
  need.w && need.h ? 1 - Math.min(1, (room.w + 0.5) / need.w) * Math.min(1, (room.h + 0.5) / need.h) : 0;

/** The cost of an arrangement: hidden parts of the map count most, then of the operands, then of the derivation. */
function loss(found, { result, panel, least }) {
  const maps = 6 * hidden(result, found.result) + 4 * hidden(found.operands.need, found.operands);
  const isCramped = found.panel.h < Math.min(panel.h, least);
  const told = hidden(panel, found.panel);
  return maps + (maps > 0 ? 1 : 0) + told + (told > 0 ? 0.5 : 0) + (isCramped ? 3 : 0);
}

/** The share of the picture's space that stays empty. */
function blank({ result, operands, panel, rows }, need, room) {
  const used = [[need.result, result], [operands.need, operands], [need.panel, panel]].reduce((sum, [one, place]) =>
    sum + Math.min(one.w, place.w) * Math.min(one.h, place.h), 0);
  return 1 - used / (room.w * rows.reduce((sum, height) => sum + height, 1));
}

/** Some elements of each kind of derivation: first, last and one between. */
function samples({ node }) {
  const all = Array.from({ length: count(node) }, (_, position) => position);
  if (!node.d?.length) return all.slice(0, 1);
  const kinds = [...new Set(node.d.map(([telling]) => telling))];
  return kinds.slice(0, 4).flatMap((kind) => {
    const found = all.filter((position) => node.d[position][0] === kind);
    return [...new Set([found[0], found[found.length >> 1], found.at(-1)])].filter((one) => one !== undefined);
  });
}

/** Invisible panels, for measuring. */
const probes = (state) => samples(state).map((position) => {
  const { heading, shown, total } = account(state, position);
  return make("section", { class: "derivation probe", "aria-hidden": "true" }, heading, ...shown, total);
});

/** The height of a derivation's heading, three of its lines, and its total. */
function leastOf(panel) {
  const more = [...panel.querySelectorAll("tbody tr")].slice(3).reduce((sum, line) => sum + line.offsetHeight, 0);
  return panel.offsetHeight - more;
}

/** Sets the width that all tables of the panels need, with long names broken. */
function widthOf(panels, rem) {
  const set = (width) => panels.forEach((panel) => { panel.style.width = `${width}px`; });
  set(21 * rem);
  const tables = panels.map((panel) => (panel.querySelector("table")?.offsetWidth ?? 0) + 1.9 * rem + scrollbar);
  const width = Math.min(Math.max(21 * rem, ...tables), 34 * rem);
  set(width);
  return width;
}

const seenMap = ({ maps, boxes }) => maps.find((_, m) => !boxes[m].classList.contains("unseen"));

/** The sizes that the pieces of the picture need at the current density. */
function needs(state, panels, rem) {
  const edge = 12;  // a box's padding
  const ofTable = ({ element }) => ({
    w: element.offsetWidth + edge, h: element.offsetHeight + edge,
    named: element.caption.firstChild.offsetWidth + edge + scrollbar,
  });
  const map = ofTable(seenMap(state));
  const tools = state.result.querySelector(".tools");
  tools.style.width = "max-content";
  const width = Math.max(map.w, Math.min(Math.max(tools.offsetWidth, map.named), 30 * rem));
  tools.style.width = `${width}px`;
  const height = tools.offsetHeight ? tools.offsetHeight + 0.4 * rem : 0;
  tools.style.width = "";
  const panelWidth = widthOf(panels, rem);
  return {
    result: { w: width, h: map.h + height }, map, tools: height,
    operands: state.beside.map(ofTable),
    panel: { w: panelWidth, h: Math.ceil(Math.max(0, ...panels.map((panel) => panel.offsetHeight))) },
    gap: 1.25 * rem, least: Math.max(0, ...panels.map(leastOf)),
  };
}

function setDensity(look, [size, lead]) {
  look.style.setProperty("--size", `max(${size}rem, 13px)`);
  look.style.setProperty("--lead", `${lead}em`);
}

/** Chooses the largest numbers with which everything is visible, else the arrangement of least cost; the densest is the last resort. */
function best(state, room, rem) {
  const look = state.result.parentElement;
  const panels = probes(state);
  look.append(...panels);
  let found = null;
  for (const [d, density] of densities.entries()) {
    setDensity(look, density);
    const need = needs(state, panels, rem);
    Object.entries(arrangements).forEach(([name, place], a) => {
      if (!need.operands.length && name !== "below" && name !== "under") return;
      const rooms = place(room, need);
      const lost = loss(rooms, need);
      const cost = lost + 0.06 * d + 0.05 * blank(rooms, need, room) + 0.001 * a;
      if (!found || cost < found.cost) found = { name, density, need, rooms, lost, cost };
    });
    if (found.lost === 0) break;
  }
  panels.forEach((panel) => panel.remove());
  return found;
}

const pixels = (lengths) => lengths.map((length) => `${Math.floor(length * 100) / 100}px`).join(" ");

/** Sets a box's size: its table and name or, if there is less space, that; the box then scrolls. */
function setBox(box, need, room) {
  const bars = { w: need.h > room.h + 0.5 ? scrollbar : 0, h: need.w > room.w + 0.5 ? scrollbar : 0 };
  box.style.setProperty("--w", pixels([Math.min(Math.max(need.w + bars.w, need.named), room.w)]));
  box.style.setProperty("--h", pixels([Math.min(need.h + bars.h, room.h)]));
}

/** Each operand's space: for its table first, then for its name. */
function roomsOf(room, needs, gap, isColumn) {
  const [along, across] = isColumn ? ["h", "w"] : ["w", "h"];
  const space = room[along] - gap * (needs.length - 1);
  const given = share(space, needs.map((need) => need[along] + (need[across] > room[across] ? scrollbar : 0)));
  const spare = space - given.reduce((sum, length) => sum + length, 0);
  const names = isColumn ? [] : share(spare, needs.map((need, i) => Math.max(need.named - given[i], 0)));
  return needs.map((_, i) => ({ ...room, [along]: given[i] + (names[i] ?? 0) }));
}

/** Applies the chosen arrangement. */
function arrange(state, { name, density, need, rooms }) {
  const look = state.result.parentElement;
  look.dataset.stage = name;
  setDensity(look, density);
  look.style.setProperty("--rows", pixels(rooms.rows));
  look.style.setProperty("--columns", pixels(rooms.columns));
  const gap = pixels([need.gap]);
  look.style.setProperty("--gap", need.operands.length ? gap : name === "under" ? `${gap} 0px` : `0px ${gap}`);
  const isWhole = rooms.result.w >= need.map.w;  // then a scrollbar may stand in the gap
  const room = { w: rooms.result.w + (isWhole ? scrollbar : 0), h: rooms.result.h - need.tools };
  state.boxes.forEach((box) => setBox(box, need.map, room));
  const each = roomsOf(rooms.operands, need.operands, need.gap, name === "three");
  [...state.operands.children].forEach((box, i) => setBox(box, need.operands[i], each[i]));
}

/** The window's space below the step's text; in a high window, one line of what follows stays visible. */
function roomFor(look, rem) {
  const top = look.getBoundingClientRect().top + window.scrollY;
  const width = look.parentElement.clientWidth;
  return { w: width, h: Math.max(window.innerHeight - top - (window.innerHeight > 700 ? 2.2 : 0.3) * rem, 20 * rem) };
}

/** All slices side by side: the largest numbers with which they fit above a derivation, else the smallest. */
function fitGrid(state) {
  const look = state.result.parentElement;
  const rem = parseFloat(getComputedStyle(root).fontSize);
  const { w, h } = roomFor(look, rem);
  state.room = `${w} ${h}`;
  const heads = state.node.s.at(-3);
  for (const size of [1.3, 1.15, 1, 0.9, 0.8125]) {
    look.style.setProperty("--size", `max(${size}rem, 13px)`);
    look.style.setProperty("--per", 1);
    const gap = 0.5 * rem;
    const width = state.boxes[0].querySelector("table").offsetWidth + 12 + gap;
    const fitting = Math.max(1, Math.floor((w + gap) / width));
    look.style.setProperty("--per", fitting >= heads ? heads : fitting);
    if (fitting >= heads && state.result.offsetHeight + 9 * rem <= h) break;
  }
  state.maps.forEach((map) => { delete map.scrolls; map.element.parentElement.style.removeProperty("--over"); });
}

/** Arranges a step's picture so that the window shows all of it, if possible. */
function fit(state) {
  if (!state?.result.getClientRects().length) return;
  const look = state.result.parentElement;
  delete look.dataset.stage;
  if (state.isGrid) {
    fitGrid(state);
    return;
  }
  if (!staged.matches) {
    look.style.removeProperty("--size");
    state.room = null;
    state.maps.concat(state.beside).forEach((map) => { delete map.scrolls; });
    return;
  }
  look.dataset.stage = "measured";
  let room;
  for (const size of projectedSizes()) {
    if (size) setType(size);
    const rem = parseFloat(getComputedStyle(root).fontSize);
    room = roomFor(look, rem);
    const found = best(state, room, rem);
    arrange(state, found);
    if (found.lost === 0) break;
  }
  state.room = `${room.w} ${room.h}`;
  const seen = seenMap(state);
  settle(seen, seen);
  state.maps.forEach((map) => settle(map, seen));
  state.beside.forEach((map) => settle(map, map));
  scrollIntoBoxes(state);
}

/** The scrollbars of a map's box; one takes space, so the other may become necessary. */
function scrollsOf({ element }) {
  const box = element.parentElement;
  let scrolls = [false, false];
  for (let turn = 0; turn < 2; ++turn) {
    box.style.setProperty("--over", overflow(scrolls));
    scrolls = [box.scrollWidth > box.clientWidth + 1, box.scrollHeight > box.clientHeight + 1];
  }
  return scrolls;
}

const overflow = (scrolls) => scrolls.map((does) => (does ? "scroll" : "hidden")).join(" ");

/** Copies the scrollbars of `like`, and keeps what the browser scrolls to clear of the fixed names. */
function settle(map, like) {
  map.scrolls = map === like ? scrollsOf(map) : like.scrolls;
  const { style } = map.element.parentElement;
  style.setProperty("--over", overflow(map.scrolls));
  const corner = like.element.rows[0].cells[0];
  style.scrollPadding = `${corner.offsetTop + corner.offsetHeight + 16}px 8px 8px ${corner.offsetWidth + 8}px`;
}

/** Fits again after the window or the text above has changed. */
function refit() {
  const state = views[current];
  if (!state) return;
  const { w, h } = roomFor(state.result.parentElement, parseFloat(getComputedStyle(root).fontSize));
  if (state.room !== `${w} ${h}` || (!staged.matches && !state.isGrid)) fit(state);
}

listen(window, "resize", refit);
listen(window, "afterprint", refit);
const words = new ResizeObserver(refit);
articles.forEach((article) => words.observe(article.querySelector("header")));
life.addEventListener("abort", () => [resized, words].forEach((observer) => observer.disconnect()));
