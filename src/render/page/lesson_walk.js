// ---- From step to step ---------------------------------------------------------------------------

let current = -1;
const entries = [...document.querySelectorAll("nav a")];
/** Introductions and endings are not counted. */
const numbers = steps.map((_, step) => steps.slice(0, step + 1).filter(({ frame }) => !frame).length);
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
    previous.disabled = step === 0;
    next.disabled = step === steps.length - 1;
    counter.textContent = steps[step].frame ? "" : `${numbers[step]} / ${Math.max(...numbers)}`;
    bar.style.width = `${(100 * (step + 1)) / steps.length}%`;
    window.scrollTo(0, 0);
  }
  presentStep(step);
  openContents(false);
  const cell = position === null || !views[step] ? null : cellAt(views[step], position);
  if (cell) {
    setFocusable(views[step], position);
    cell.focus();
  } else if (byUser) articles[step].focus({ preventScroll: true });
}

/** "#attn_scores[1,2]?what-if=no-mask": a step, optionally an element, and optionally a changed rule. */
function fromAddress(byUser) {
  const address = location.hash.slice(1);
  const own = address.startsWith(prefix) ? address.slice(prefix.length) : address;
  const [, id, , index, query] = /^([^[?]*)(\[([\d,\s]*)\])?(?:\?(.*))?$/.exec(safeDecode(own)) ?? [];
  const step = steps.findIndex((one) => one.id === id);
  if (step < 0) {
    if (current < 0) show(0, null, false);
    return;
  }
  setFromAddress(step, query, () => fromAddress(byUser));
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
  location.hash = prefix + steps[to].id + whatIfAddress(to);  // hashchange shows it
}

listen(document, "keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey || document.querySelector("dialog[open]")) return;
  const isLetter = event.key.length === 1;
  const others = isLetter ? "input, textarea, select" : "pre, input, textarea, select, :is(.scroll, .derivation)[tabindex]";
  if (event.target.closest(others) && !event.key.startsWith("Page")) return;
  switch (event.key) {
    case "ArrowLeft": case "PageUp": go(current - 1); break;
    case "ArrowRight": case "PageDown": go(current + 1); break;
    case "Home": go(0); break;
    case "End": go(steps.length - 1); break;
    case "Escape": openContents(false); return;
    case "a": if (views[current]) setGrid(views[current], !views[current].isGrid); break;
    case "g": openGlossary(); break;
    case "p": projectorButton.click(); break;
    case "w": if (rules.length) showNext(); break;
    case "x": if (!exerciseButton.hidden) openExercises(); break;
    default: return;
  }
  event.preventDefault();
});

const glossary = document.querySelector("dialog");
function openGlossary() {
  glossary.showModal();
  glossary.scrollTop = 0;  // the focus went to the terms
}

document.querySelector("button.glossary").addEventListener("click", openGlossary);
glossary.addEventListener("keydown", (event) => {
  if (event.key !== "g") return;
  glossary.close();
  event.stopPropagation();
});
previous.addEventListener("click", () => go(current - 1));
next.addEventListener("click", () => go(current + 1));
contents.addEventListener("click", () => openContents(!root.classList.contains("contents-open")));
document.querySelector("main").addEventListener("pointerdown", ({ target }) => {
  openContents(false);
  const state = views[current];
  if ((state?.pinned ?? null) === null || target.closest("td[data-position], .derivation, .operands, .scroll, a, button, select")) return;
  release(state);
});
listen(window, "hashchange", () => fromAddress(true));
listen(window, "beforeprint", () => steps.forEach(({ frame }, step) => frame || present(step)));

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
listen(system, "change", setTheme);
setTheme();

// ---- Projector: large type, and nothing but the picture, its formula and its derivation ---------------

const projectorButton = document.querySelector("button.projector");

function setProjector(isOn) {
  root.classList.toggle("projector", isOn);
  projectorButton.setAttribute("aria-pressed", String(isOn));
}

projectorButton.addEventListener("click", () => setProjector(!root.classList.contains("projector")));
setProjector(root.classList.contains("projector"));

/** The rule that the page was made to compare with; an address says for itself what is changed. */
const askedRule = chapters[0].about.options.what_if;

if (steps.length) {
  root.classList.add("steps-live");
  if (askedRule && canUnpack && location.hash.length < 2) {
    history.replaceState(null, "", `#${prefix}${steps[0].id}?what-if=${askedRule}`);
  }
  fromAddress(false);
}
