// ---- Exercises: numbers to compute, a number and a rule to find --------------------------------------
// The address holds an exercise, so that it can be sent: "#attn_scores?exercise=numbers&cells=0,1,2;0,3,1".

let exercise = null;  // what the address asks for
const begun = new Map();  // by address: whoever comes back finds the answers

/** The positions of the cells worth asking for, from the step's "ask": [first, count, first, count, ...]. */
function askable(step) {
  const { ask = [] } = steps[step];
  return ask.flatMap((first, i) => (i % 2 ? [] : Array.from({ length: ask[i + 1] }, (_, k) => first + k)));
}

/** Mulberry32: one seed gives the same numbers in every browser. */
function dice(seed) {
  let state = seed >>> 0;
  return (limit) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let bits = Math.imul(state ^ (state >>> 15), state | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    return ((bits ^ (bits >>> 14)) >>> 0) % limit;
  };
}

const newSeed = () => 1 + Math.floor(Math.random() * 9999);

function someOf(all, wanted, below) {
  const left = [...all];
  return Array.from({ length: Math.min(wanted, all.length) }, () => left.splice(below(left.length), 1)[0])
    .sort((one, other) => one - other);
}

// ---- Answers, judged as --predict judges them (src/present/predict.cpp) ----

const isPlain = (number) => number === 0 || number === 1 || !Number.isFinite(number);

/** The format of a printed number: 0.1587, 3., 1.5870e-01. */
function notationOf(text) {
  const [mantissa, exponent] = text.toLowerCase().split("e");
  return { digits: (mantissa.split(".")[1] ?? "").length, scientific: exponent !== undefined };
}

/** The number as printed; halves round to the even digit. */
function rounded(number, { digits, scientific }) {
  const write = (places) => (scientific ? number.toExponential(places) : number.toFixed(places));
  const [, head, tail, exponent] = new RegExp(`^(-?\\d+\\.?\\d{${digits}})(\\d*)(.*)$`).exec(write(100)) ?? [];
  const isEvenHalf = /^50*$/.test(tail ?? "") && Number(head.replace(".", "").at(-1)) % 2 === 0;
  return Number(isEvenHalf ? head + exponent : write(digits));
}

function judge(answer, text) {
  const typed = answer.trim().toLowerCase();
  if (typed === "") return "unknown";
  const special = /^[+-]?(inf(inity)?|nan)$/.exec(typed);
  if (!special && !/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/.test(typed)) return "no number";
  const [number, truth] = [special ? toNumber(typed.replace("+", "").replace("infinity", "inf")) : Number(typed), toNumber(text)];
  if (!Number.isFinite(truth) || !Number.isFinite(number)) return Object.is(number, truth) ? "right" : "wrong";
  const notation = notationOf(text);
  const power = notation.scientific && truth !== 0 ? Math.floor(Math.log10(Math.abs(truth))) : 0;
  const units = Math.abs(rounded(number, notation) - truth) / 10 ** (power - notation.digits);
  if (units < 1.5) return units < 0.5 ? "right" : "close";
  const coarser = notationOf(typed);
  const isCoarse = coarser.digits > 0 && coarser.digits < notation.digits && !coarser.scientific && !notation.scientific;
  return isCoarse && rounded(truth, coarser) === number ? "coarse" : "wrong";
}

// ---- Which exercise ----

const indexWords = (node, position) => indexAt(position, node.s).join(",");

function numbersExercise(step, cells) {
  const node = nodeOf(step);
  const open = new Set(askable(step));
  const wanted = cells.split(";").map((cell) => cell.split(",").map(Number))
    .filter((index) => node && index.length === node.s.length && index.every((at, axis) => Number.isInteger(at) && at >= 0 && at < node.s[axis]))
    .map((index) => positionOf(index, node.s)).filter((position) => open.has(position));
  const asked = [...new Set(wanted)].sort((one, other) => one - other);
  return { kind: "numbers", step, asked, marks: new Map(), hints: 0, given: new Map(),
           query: `exercise=numbers&cells=${asked.map((position) => indexWords(node, position)).join(";")}` };
}

/** One digit of a printed number changed: never the last one, which rounding may move, and no first digit becomes 0; where it
    can be, the number stays between the tensor's smallest and largest. */
function altered(node, position, below) {
  const text = printed(node)[position];
  const mantissa = /^-?([\d.]+)/.exec(text)[0];
  const places = [...mantissa].flatMap((c, i) => (/\d/.test(c) ? [i] : []));
  const found = (places.length > 1 ? places.slice(0, -1) : places).flatMap((at) => [..."0123456789"]
    .filter((digit) => digit !== text[at] && !(digit === "0" && at === places[0] && /\d/.test(mantissa[at + 1] ?? "")))
    .map((digit) => text.slice(0, at) + digit + text.slice(at + 1)));
  const finite = exact(node).map(toNumber).filter(Number.isFinite);
  const [low, high] = [Math.min(...finite), Math.max(...finite)];
  const inside = found.filter((one) => Number(one) >= low && Number(one) <= high);
  const all = inside.length ? inside : found;
  return all[below(all.length)];
}

function wrongExercise(step, seed) {
  const node = nodeOf(step);
  const below = dice(seed);
  const open = askable(step).filter((position) => !isPlain(value({ node, position })));
  const position = open.length ? open[below(open.length)] : null;
  const equals = position === null ? [] : exact(node).flatMap((number, at) => (number === exact(node)[position] ? [at] : []));
  return { kind: "wrong", step, position, altered: equals, text: position === null ? "" : altered(node, position, below),
           marks: new Map(), hints: 0, given: new Map(), query: `exercise=wrong&seed=${seed}` };
}

/** The rules that change something in the step's chapter. */
function tellingRules(step) {
  const inChapter = steps.filter((one) => (one.k ?? 0) === (steps[step].k ?? 0) && !one.frame);
  return rulesOf(chapterOf(step)).map((_, i) => i).filter((i) => inChapter.some((one) => one.whatIfs?.[i]));
}

/** Returns true if two rules print the same; then both are right answers. */
function actAlike(step, one, other) {
  const shown = (at, rule) => {
    const change = at.whatIfs?.[rule] || {};
    return [change.printed, change.gone, change.added?.map((added) => added.printed).join()].join("\n");
  };
  return steps.filter((at) => (at.k ?? 0) === (steps[step].k ?? 0)).every((at) => shown(at, one) === shown(at, other));
}

function ruleExercise(step, seed) {
  const rules = tellingRules(step);
  const rule = rules.length ? rules[dice(seed)(rules.length)] : null;
  return { kind: "rule", step, rule, name: rule === null ? "" : rulesOf(chapterOf(step))[rule].name,
           tries: 0, hints: 0, isOver: false, query: `exercise=rule&seed=${seed}` };
}

/** The exercise in the address; null without one. */
function exerciseOf(step, asked) {
  const kind = asked.get("exercise");
  const seed = Number(asked.get("seed"));
  if (steps[step].frame && kind !== "rule") return null;
  const key = kind === "rule" ? `${steps[step].k ?? 0} rule ${seed}` : `${step} ${kind} ${seed} ${asked.get("cells")}`;
  if (!begun.has(key)) {
    const found = kind === "numbers" ? numbersExercise(step, asked.get("cells") ?? "")
      : kind === "wrong" && Number.isInteger(seed) ? wrongExercise(step, seed)
      : kind === "rule" && Number.isInteger(seed) ? ruleExercise(step, seed) : null;
    begun.set(key, found);
  }
  return begun.get(key);
}

/** Returns true if the exercise is about this step. */
const isHere = (step) => exercise !== null && (exercise.kind === "rule" ? (steps[exercise.step].k ?? 0) === (steps[step].k ?? 0) : exercise.step === step);
/** Returns true if a hidden rule is applied. */
const isSecret = () => exercise?.kind === "rule" && !exercise.isOver;

// ---- What is hidden ----

/** The marks of a hidden cell or one equal to it; null if it is not hidden. */
function questionAt(state, position) {
  if (exercise?.step !== state.step || state !== asIs[state.step]?.state) return null;
  if (exercise.kind === "wrong") return exercise.position === null || exercise.isOver || exercise.marks.has(position) ? null : position;
  if (exercise.kind !== "numbers") return null;
  const open = exercise.asked.filter((one) => !exercise.marks.has(one));
  if (open.includes(position)) return position;
  const number = exact(state.node)[position];
  return isPlain(toNumber(number)) ? null : open.find((one) => exact(state.node)[one] === number) ?? null;
}

/** Hides or shows the step's cells for the exercise. */
function cover(state) {
  state.covered = isHere(state.step) && exercise.kind !== "rule";
  for (const map of state.maps) {
    for (const [position, { cell }] of map.cells) {
      const asked = questionAt(state, position);
      const isHidden = asked !== null && exercise.kind === "numbers";
      const isAltered = asked !== null && exercise.kind === "wrong" && exercise.altered.includes(position);
      const text = isHidden ? "?" : isAltered ? exercise.text : printed(state.node)[position];
      if (cell.textContent !== text) {
        cell.textContent = text;
        cell.classList.remove("plain");
        if (!isHidden) paint(cell, state.node, position, isAltered ? toNumber(exercise.text) : undefined);
      }
      const mark = state.covered ? exercise.marks.get(position) ?? "" : "";
      cell.classList.toggle("asked", isHidden);
      for (const one of ["right", "close", "missed"]) cell.classList.toggle(one, one === mark);
    }
  }
}

// ---- Asking ----

const plural = (count, words) => `${count} ${words}${count === 1 ? "" : "s"}`;
const triesWords = (count) => (count === 1 ? "1 try" : `${count} tries`);

/** A hint's lines, in --predict's words. */
function hintLines(from, which) {
  const [opening, each, bias] = from?.telling.hints?.[which] ?? [];
  if (opening === undefined) return null;
  const { length } = from.a;
  const terms = from.a.slice(0, mostTerms).map((_, k) => spoken(from, each, k));
  return [spoken(from, opening), ...terms, ...(length > mostTerms ? [`... ${length - mostTerms} more ...`] : []),
          ...(from.bias.length ? [spoken(from, bias, length)] : [])].filter(Boolean);
}

/** Asks, in place of the derivation, for a number or whether it is wrong. */
function ask(state, position, asked) {
  const { panel, node } = state;
  const from = derivation(node, asked);
  const given = exercise.given.get(asked) ?? 0;
  const lines = Array.from({ length: given }, (_, which) => hintLines(from, which)).filter(Boolean);
  if (given) {
    for (const term of from ? [...from.a, ...from.b, ...from.bias] : []) mark(state.beside, term, "met");
    markHeads([...state.maps, ...state.beside]);
  }
  const { heading } = account(state, asked);
  const hints = lines.flatMap((all) => all.map((line) => make("li", {}, code(line))));
  const more = from?.telling.hints?.length > given ? action("Hint", () => {
    exercise.given.set(asked, given + 1);
    ++exercise.hints;
    again(state, position, hintLines(from, given).join(", "));
    panel.querySelector(".answer input, .answer button").focus();
  }) : null;
  const field = make("input", { type: "text", inputmode: "decimal", autocomplete: "off", spellcheck: "false", size: 12,
                                "aria-label": place(node, asked) });
  const form = exercise.kind === "numbers"
    ? make("form", { class: "answer" }, make("label", {}, "= ", field), make("button", {}, "Check"), more,
           action("Show me", () => answered(state, position, asked, "unknown")))
    : make("form", { class: "answer" }, make("span", {}, "= ", make("b", {}, cellAt(state, position).textContent)),
           action("This one is wrong", () => suspected(state, position)), more);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (exercise.kind === "numbers") answered(state, position, asked, judge(field.value, printed(node)[asked]));
  });
  panel.replaceChildren(heading, form, make("p", { class: "verdict" }),
                        hints.length ? make("ul", { class: "hints" }, ...hints) : "", make("p", { class: "total" }, moreOf(panel)));
  panel.scrollTop = 0;
  reachable(panel);
  state.said = `${place(node, asked)}: ${exercise.kind === "numbers" ? "hidden; press Enter to answer" : cellAt(state, position).textContent}`;
  state.from = given ? from : null;
}

/** Redraws a changed cell, and announces the change. */
function again(state, position, words) {
  cover(state);
  state.shown = undefined;
  explain(state, position);
  if (words) said.textContent = words;
  dress(state.step);
}

function answered(state, position, asked, mark) {
  const text = printed(state.node)[asked];
  const { digits } = notationOf(text);
  const retry = mark === "no number" ? "type a number such as 0.1587"
    : mark === "coarse" ? `correct so far: round to ${plural(digits, "place")} and try again` : "";
  if (retry) {
    state.panel.querySelector(".verdict").textContent = retry;
    state.panel.querySelector(".answer input").select();
    said.textContent = retry;
    return;
  }
  exercise.marks.set(asked, mark === "right" || mark === "close" ? mark : "missed");
  const words = mark === "right" ? "right" : mark === "close" ? `close: it is ${text}` : mark === "wrong" ? `no, it is ${text}` : `it is ${text}`;
  settleAnswer(state, position, words);
}

function suspected(state, position) {
  const isFound = exercise.altered.includes(position);
  exercise.marks.set(position, isFound ? "right" : "missed");
  exercise.isOver = isFound;
  const text = printed(state.node)[position];
  settleAnswer(state, position, isFound ? `right: ${text}, not ${exercise.text}` : `no, ${text} is right`);
}

function settleAnswer(state, position, words) {
  again(state, position, "");
  state.panel.querySelector("h3").after(make("p", { class: "verdict" }, words));
  said.textContent = `${words}. ${exerciseWords()}`;
  focusCell(position);
}

/** The score or, before the first answer, the task. */
function exerciseWords() {
  const { kind, hints, marks } = exercise;
  const withHints = hints ? `, with ${plural(hints, "hint")}` : "";
  if (kind === "rule") {
    if (exercise.rule === null) return "no rule of --what-if changes this chapter";
    return exercise.isOver ? `${exercise.isShown ? "shown" : "found"} after ${triesWords(exercise.tries)}${withHints}`
                           : "One rule of this chapter is changed. Which one?";
  }
  const all = [...marks.values()];
  if (kind === "wrong") {
    const tries = triesWords(all.length);
    if (exercise.position === null) return "this step has no computed number to alter";
    return exercise.isOver ? `${exercise.isShown ? "shown" : "found"} after ${tries}${withHints}` : `One digit of one number is wrong. Which number?${all.length ? ` (${tries})` : ""}`;
  }
  if (!exercise.asked.length) {
    return askable(exercise.step).length ? "the address names no number of this step that can be asked for; New chooses one"
                                         : "this step has no computed number to ask for";
  }
  const [right, close] = ["right", "close"].map((wanted) => all.filter((mark) => mark === wanted).length);
  const left = exercise.asked.length - all.length;
  return left ? `${left} of ${plural(exercise.asked.length, "number")} to compute${all.length ? `; ${right} right` : ""}`
              : `score: ${right} of ${all.length} right${close ? `, ${close} close` : ""}${withHints}`;
}
