// ---- What if: the same steps with one rule changed --------------------------------------------------

const shows = ["original", "changed", "difference"];
const canUnpack = typeof DecompressionStream !== "undefined";
const rulesOf = (chapter) => (canUnpack ? chapter.whatIfs ?? [] : []);
const rules = [...new Set(chapters.flatMap((chapter) => rulesOf(chapter).map((rule) => rule.name)))];
const whatIf = { rule: "", show: "changed", awaited: false };  // chosen for the page
const asIs = steps.map(() => null);  // of each step that was seen: what its article shows without a rule
const variants = new Map();  // the other things that articles show, by step, rule and what is shown

const chapterOf = (step) => chapters[steps[step].k ?? 0];
const ruleAt = (step) => rulesOf(chapterOf(step)).findIndex((rule) => rule.name === whatIf.rule);

/** The rule's effect on the step; 0: nothing differs. */
const changeOf = (step) => steps[step].whatIfs?.[ruleAt(step)] ?? 0;
const isChanged = (change) => change !== 0 && (change.printed !== undefined || change.gone !== undefined);

/** The step's tensor with the rule changed; null without one, or without cells. */
function changedNode(step) {
  const change = changeOf(step);
  if (change.node !== undefined) return nodes[change.node];
  return isChanged(change) ? null : nodeOf(step);
}

function changedUses(step) {
  return steps.flatMap((one, to) => {
    const node = (one.k ?? 0) === (steps[step].k ?? 0) ? changedNode(to) : null;
    return node && node.i === to && sources(node).includes(step) ? [to] : [];
  });
}

// ---- The rules' tensors, unpacked when the first rule is chosen ----

let unpacked = null;
let isUnpacked = false;

async function unpack() {
  const packed = Uint8Array.from(atob(document.getElementById("lesson-what-ifs").textContent), (c) => c.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  const data = await new Response(stream).json();
  nodes.push(...data.nodes);
  tellings.push(...data.tellings);
  for (const step of steps) step.whatIfs = data.steps[step.id];
  isUnpacked = true;
}

/** Returns true if the rules' tensors are loaded; else acts once they are. */
function withRules(action) {
  if (isUnpacked) return true;
  unpacked ??= unpack();
  unpacked.then(action);
  return false;
}

// ---- Changed minus original ----

/** The fewest digits that say which float32 it is. */
function shortest(number) {
  for (let digits = 1; digits < 9; ++digits) {
    const text = String(Number(number.toPrecision(digits)));
    if (Math.fround(Number(text)) === number) return text;
  }
  return String(Number(number.toPrecision(9)));
}

const infinityWords = (number) => (Number.isNaN(number) ? "nan" : number > 0 ? "inf" : "-inf");

/** With a sign, and as many digits after the point as its tensors are printed with. */
function differenceText(number, digits) {
  if (number === 0) return "0";
  const sign = number > 0 ? "+" : "";
  if (!Number.isFinite(number)) return sign + infinityWords(number);
  const text = number.toFixed(digits);
  return sign + (Number(text) === 0 || Math.abs(number) >= 1e8 ? number.toExponential(Math.min(digits, 2)) : text);
}

/** What the rule is called while nobody may see which one it is. */
const ruleWords = () => (isSecret() ? "the hidden rule" : whatIf.rule);

/** What is told of a difference by the rule that is chosen. */
const differenceTelling = () => tellings.push({
  columns: [["is", "float32", "a"], ["was", "float32", "b"], ["difference", "-", "is", "was"]],
  shown: [`With ${ruleWords()}, minus original:`, "`{=a} − {=b} = {=difference}`"],
  said: `{=a} with ${ruleWords()}, minus {=b} originally,`,
}) - 1;

/** A tensor of differences in float32, derived from both. What is the same differs by 0, inf and nan too. */
function differenceNode(was, is, digits) {
  const [before, after] = [was, is].map((node) => exact(node).map((text) => Math.fround(toNumber(text))));
  const numbers = after.map((number, i) => (Object.is(number, before[i]) ? 0 : Math.fround(number - before[i])));
  const operands = [[is, "changed"], [was, "original"]].map(([node, words]) =>
    nodes.push({ ...node, n: `${nameOf(is)} ${words}`, scale: scale(node), exact: exact(node), printed: printed(node) }) - 1);
  const telling = differenceTelling();
  const far = Math.max(0, ...numbers.map(Math.abs).filter(Number.isFinite));
  return {
    n: `difference of ${nameOf(is)}`, s: is.s, t: "float32", x: is.x, w: is.w, k: is.k, o: operands, zeroIsPlain: true,
    d: numbers.map((_, i) => [telling, [i], [numbers.length + i]]),
    exact: numbers.map((number) => (Number.isFinite(number) ? shortest(number) : infinityWords(number))),
    printed: numbers.map((number) => differenceText(number, digits)),
    scale: { finite: far > 0, signed: true, low: -far, high: far },
    unbounded: numbers.filter((number) => !Number.isFinite(number)).length,
  };
}

// ---- One scale for what is as it was and changed ----

/** A tensor and all that it was made from, by their names. */
function ancestry(node, found = new Map()) {
  const same = found.get(nameOf(node)) ?? [];
  if (same.includes(node)) return found;
  found.set(nameOf(node), [...same, node]);
  node.o.filter((operand) => operand >= 0).forEach((operand) => ancestry(nodes[operand], found));
  return found;
}

function shareScales() {
  sharedScales.clear();
  if (!whatIf.rule) return;
  steps.forEach((_, step) => {
    const [was, is] = [nodeOf(step), changedNode(step)];
    if (!was || !is || was === is) return;
    const changed = ancestry(is);
    for (const [name, before] of ancestry(was)) {
      before.forEach((node, i) => {
        const other = changed.get(name)?.[i];
        if (!other || other === node || sharedScales.has(node)) return;
        const both = scaleOf([node, other]);
        [node, other].forEach((one) => sharedScales.set(one, both));
      });
    }
  });
}

// ---- What an article shows ----

const parts = (article) => ({
  look: article.querySelector(".look"),
  heading: article.querySelector("h2"),
  expression: article.querySelector(".expression code"),
  shapes: article.querySelector(".shapes code"),
  links: article.querySelector(".links"),
  notices: article.querySelector(".notices"),
  label: article.querySelector(".printed .label"),
  out: article.querySelector(".printed .out"),
});

/** Drawn once, as the page came. */
function original(step) {
  if (!asIs[step]) {
    view(step);
    const found = parts(articles[step]);
    asIs[step] = {
      state: views[step], look: found.look, links: [...found.links.childNodes], notices: [...found.notices.childNodes],
      heading: found.heading.textContent, expression: found.expression.textContent, shapes: found.shapes.textContent,
      label: found.label.textContent, out: found.out.textContent, note: "", added: [], isOwn: true,
    };
  }
  return asIs[step];
}

const emptyLook = () => make("div", { class: "look" });

/** What is new just before the step. */
const additions = (change) => (change.added ?? []).flatMap((one) => [
  make("p", {}, `New before this step: `, code(one.what)),
  make("pre", { tabindex: "0" }, one.label + one.printed),
]);

function changedVariant(step) {
  const plain = original(step);
  const change = changeOf(step);
  const added = isSecret() ? [] : additions(change);
  if (!isChanged(change)) return { ...plain, note: `With ${ruleWords()}: same as before.`, added };
  if (change.gone) {
    return {
      ...plain, state: null, look: emptyLook(), links: [], notices: [], expression: "", shapes: "", label: "",
      out: `# ${change.gone}`, note: `With ${ruleWords()}: ${change.gone}. The line is gone.`, added, isOwn: false,
    };
  }
  const node = change.node === undefined ? null : nodes[change.node];
  const look = emptyLook();
  const links = node ? [stepLinks("made from ", sources(node)), stepLinks("used for ", changedUses(step))] : [];
  return {
    state: node ? drawn(step, node, look, isSecret()) : null, look, links: links.filter(Boolean),
    notices: change.notices.map((notice) => make("li", {}, notice)),
    heading: isSecret() ? plain.heading : change.heading ?? plain.heading, expression: change.expression ?? plain.expression, shapes: change.shapes,
    label: change.label, out: change.printed,
    note: change.alike ? `With ${ruleWords()}: ${change.alike}.` : `Changed by ${ruleWords()}.`, added, isOwn: false,
  };
}

/** Why a step's difference is no map; null where it is one. */
function noDifference(step) {
  const change = changeOf(step);
  const was = nodeOf(step);
  if (!isChanged(change)) return "same as before: nothing differs.";
  if (change.gone) return `${change.gone}: nothing to subtract from.`;
  const is = change.node === undefined ? null : nodes[change.node];
  if (!was && !is) return "the output differs, but it has no numbers to subtract.";
  if (!was || !is) return "there are too many numbers for this page to subtract.";
  if (String(was.s) !== String(is.s)) return `the shape is [${is.s.join(", ")}] instead of [${was.s.join(", ")}].`;
  if (was.t !== "float32" || is.t !== "float32") {
    const differing = exact(is).filter((text, i) => text !== exact(was)[i]).length;
    const kind = was.t === "int64" && is.t === "int64" ? "whole numbers, which this page does not subtract" : "not numbers";
    return `${differing} of ${count(is)} elements differ; they are ${kind}.`;
  }
  return null;
}

function differenceVariant(step) {
  const plain = original(step);
  const why = noDifference(step);
  const rest = { ...plain, links: [], notices: [], shapes: "", added: [], hidesPrinted: true, isOwn: false };
  if (why) return { ...rest, state: null, look: emptyLook(), note: `With ${ruleWords()}: ${why}` };
  const is = nodes[changeOf(step).node];
  const node = differenceNode(nodeOf(step), is, chapterOf(step).about.options.precision);
  const look = emptyLook();
  const share = `${node.unbounded} of ${count(node)}`;
  const unbounded = node.unbounded
    ? ` Where one of the two is infinite or nan, so is the difference: ${share}.` : "";
  return {
    ...rest, state: drawn(step, node, look, isSecret()), look,
    expression: `${nameOf(is)} with ${ruleWords()} − ${nameOf(is)} original`,
    note: `Changed by ${ruleWords()}, minus original.${unbounded}`,
  };
}

function variantOf(step) {
  const plain = original(step);
  if (!whatIf.rule || whatIf.show === "original") return plain;
  if (ruleAt(step) < 0) {
    return { ...plain, note: `${whatIf.rule} does not apply to ${chapterOf(step).about.chapter}.` };
  }
  const key = `${step} ${whatIf.rule} ${whatIf.show} ${isSecret()}`;
  if (!variants.has(key)) {
    variants.set(key, whatIf.show === "changed" ? changedVariant(step) : differenceVariant(step));
  }
  return variants.get(key);
}

/** Makes the article show what is chosen: the step as it is, changed, or the difference. */
function present(step) {
  const wanted = variantOf(step);
  const article = articles[step];
  const found = parts(article);
  if (found.look !== wanted.look) found.look.replaceWith(wanted.look);
  for (const name of ["heading", "expression", "shapes", "label", "out"]) {
    if (found[name].textContent !== wanted[name]) found[name].textContent = wanted[name];
  }
  found.links.replaceChildren(...wanted.links);
  found.notices.replaceChildren(...wanted.notices);
  article.querySelector(".printed").hidden = Boolean(wanted.hidesPrinted);
  for (const told of article.querySelectorAll(".why, .through, .reasons")) told.hidden = !wanted.isOwn;
  article.querySelectorAll(".what-if-note, .what-if-added").forEach((one) => one.remove());
  if (wanted.note) article.querySelector(":scope > header").append(make("p", { class: "what-if-note" }, wanted.note));
  if (wanted.added.length) {
    article.querySelector(".printed").before(make("div", { class: "what-if-added" }, ...wanted.added));
  }
  views[step] = wanted.state;
  if (wanted.state && wanted.state.rule !== whatIf.rule) {
    if (wanted.state.rule !== undefined || whatIf.rule) repaint(wanted.state);
    wanted.state.rule = whatIf.rule;
  }
  if (wanted.state?.shown === null) hint(wanted.state);
  return wanted;
}

// ---- The switch ----

const ruleList = make("select", {}, make("option", { value: "" }, "none"),
                      ...rules.map((rule) => make("option", {}, rule)));
const showButtons = shows.map((show) => action(show, () => choose({ show })));
const showSwitch = make("span", { class: "switch", role: "group", "aria-label": "What the step shows" },
                        ...showButtons);
const did = make("p", { class: "did" });
const whatIfBar = make("div", { class: "what-if" }, make("label", {}, "What if ", ruleList), showSwitch, did);
document.querySelectorAll(".what-if-key").forEach((key) => { key.hidden = !rules.length; });

/** The part of a step's address that says what is chosen. */
function whatIfAddress(step) {
  const show = whatIf.show === "changed" ? "" : `&show=${whatIf.show}`;
  if (isSecret() && !isHere(step)) return "";
  if (isHere(step)) return `?${exercise.query}${exercise.kind === "rule" ? show : ""}`;
  return whatIf.rule ? `?what-if=${whatIf.rule}${show}` : "";
}

function setFromAddress(step, query, again) {
  const asked = new URLSearchParams(query ?? "");
  const isRiddle = asked.get("exercise") === "rule" && rules.length > 0;
  exercise = isRiddle && !isUnpacked ? null : exerciseOf(step, asked);
  const rule = isRiddle ? (isUnpacked ? exercise?.name ?? "" : rules[0]) : exercise ? "" : asked.get("what-if") ?? "";
  const show = asked.get("show") ?? "changed";
  whatIf.awaited = rules.includes(rule) && !withRules(again);
  whatIf.rule = rules.includes(rule) && !whatIf.awaited ? rule : "";
  shareScales();
  whatIf.show = shows.includes(show) ? show : "changed";
}

/** Shows the step with what is chosen, and the switch in it. */
function presentStep(step) {
  if (steps[step].frame) return;
  const wanted = present(step);
  dress(step);
  if (!rules.length) return;
  const header = articles[step].querySelector(":scope > header");
  if (whatIfBar.parentElement !== header) header.append(whatIfBar);
  const note = header.querySelector(".what-if-note");
  if (note) header.append(note);
  ruleList.value = whatIf.rule;
  whatIfBar.classList.toggle("on", whatIf.rule !== "");
  if (exerciseBar.parentElement === header) header.append(exerciseBar);
  showSwitch.hidden = !whatIf.rule;
  did.textContent = whatIf.rule && ruleAt(step) >= 0 ? chapterOf(step).whatIfs[ruleAt(step)].did : "";
  showButtons.forEach((button, i) => button.setAttribute("aria-pressed", String(shows[i] === whatIf.show)));
  said.textContent = isSecret() ? exerciseWords() : wanted.note ? `${wanted.note} ${did.textContent}` : "";
}

/** The chosen cell; where the step has no cells now, the one that it had before the last choice. */
let kept = { step: -1, at: null };
function chosenCell() {
  if (views[current]) return views[current].pinned ?? null;
  return kept.step === current ? kept.at : null;
}

/** A choice by the reader; whoever was at a number stays at it. */
function choose(choice) {
  if (choice.rule !== undefined) exercise = null;
  if (choice.rule && !withRules(() => choose(choice))) return;
  const at = chosenCell();
  kept = { step: current, at };
  Object.assign(whatIf, choice);
  shareScales();
  presentStep(current);
  if (at !== null) focusCell(at);
  setAddress();
}

/** The chosen cell, or that one; where there is none, the step. */
function focusCell(position) {
  const cell = views[current] && position !== null ? cellAt(views[current], position) : null;
  if (cell) setFocusable(views[current], position);
  (cell ?? articles[current]).focus({ preventScroll: true });
}

/** Sets the address to the step, the chosen cell, and what is changed. Browsers ignore more than 200 changes in 30 s: of a
    burst, the last one is written. An address whose rule is still computed stays. */
const addressTimes = [];
let addressTimer = 0;
life.addEventListener("abort", () => clearTimeout(addressTimer));
function setAddress() {
  if (whatIf.awaited) return;
  clearTimeout(addressTimer);
  const now = performance.now();
  if (addressTimes.length === 30 && now - addressTimes[0] < 5000) {
    addressTimer = setTimeout(setAddress, 1000);
    return;
  }
  if (addressTimes.push(now) > 30) addressTimes.shift();
  const at = chosenCell();
  const index = at === null ? [] : indexAt(at, nodeOf(current).s);
  history.replaceState(null, "", `#${prefix}${steps[current].id}${index.length ? `[${index}]` : ""}${whatIfAddress(current)}`);
}

whatIfBar.addEventListener("keydown", (event) => {
  if (event.key === "Escape") focusCell(views[current]?.pinned ?? null);
});

ruleList.addEventListener("change", () => choose({ rule: ruleList.value }));

/** Shows the next of original, changed and difference, or goes to the list of rules. */
function showNext() {
  if (exercise && exercise.kind !== "rule") return;
  if (whatIf.rule) choose({ show: shows[(shows.indexOf(whatIf.show) + 1) % shows.length] });
  else ruleList.focus();
}

/** Links within the page keep the lesson and what is chosen. */
listen(document, "click", (event) => {
  const link = event.target.closest("a[href^='#']");
  if (!link || !(whatIf.rule || prefix) || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const address = link.getAttribute("href").slice(1);
  const to = steps.findIndex(({ id }) => id === address.split("[")[0]);
  if (to < 0) return;
  event.preventDefault();
  location.hash = prefix + address + whatIfAddress(to);
});
