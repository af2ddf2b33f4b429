// A lesson's page that computes: the program itself, compiled for browsers, runs in a worker and makes the lesson's page anew
// for other settings. The address holds them: "#causal?seed=7&sentence=to+be+or+not/attn_scores[1,2]" is a lesson, and what a
// page of that lesson has as its address.

const find = (id) => document.getElementById(id);
const settings = JSON.parse(find("live-settings").textContent);
const section = document.querySelector(".live");
const form = section.querySelector("form");
const [common, rest, files] = [".common", ".rest", ".files"].map((part) => form.querySelector(part));
const wrong = section.querySelector(".wrong");
const said = section.querySelector("[role=status]");

function make(tag, attributes = {}, ...children) {
  const element = Object.assign(document.createElement(tag), attributes);
  element.append(...children);
  return element;
}

// ---- The lesson in the address ---------------------------------------------------------------------

const optionsOf = (chapter) => settings.options.filter(({ chapters }) => chapters.includes(chapter));

/** A lesson, with the words for it in an address: always the same for the same settings. */
function lessonOf(chapter, query) {
  const known = optionsOf(chapter).filter(({ name }) => query.has(name)).map(({ name }) => [name, query.get(name)]);
  const others = [...query].filter(([name]) => !known.some(([one]) => one === name));
  const ordered = new URLSearchParams([...known, ...others]);
  return { chapter, query: ordered, words: chapter + (ordered.size ? `?${ordered}` : "") };
}

/** The lesson that an address asks for, and the part for its page; null if it names no chapter. */
function lessonIn(address) {
  const [lesson, ...step] = address.replace(/^#/, "").split("/");
  const [chapter, query = ""] = lesson.split("?", 2);
  if (!settings.chapters.some(({ name }) => name === chapter)) return null;
  return { ...lessonOf(chapter, new URLSearchParams(query)), step: step.join("/") };
}

const addressOf = ({ words }, step) => `#${words}${step ? `/${step}` : ""}`;

/** The lesson's part of a command line; throws an Error for an option that this page does not have. */
function argumentsOf({ chapter, query }) {
  const options = optionsOf(chapter);
  return [chapter, ...[...query].map(([name, value]) => {
    const option = options.find((one) => one.name === name);
    if (!option) throw new Error(`the address names "${name}", which is no setting of ${chapter}`);
    return option.kind === "flag" ? `--${name}` : `--${name}=${value}`;
  })];
}

// ---- The form --------------------------------------------------------------------------------------

function fieldOf(option) {
  const { name, kind, doc, choices, least, most } = option;
  const about = { name, title: doc };
  const label = (text, input) => make("label", { className: name, title: doc }, text, input);
  if (kind === "flag") return label(name, make("input", { ...about, type: "checkbox" }));
  if (kind === "choice") {
    const texts = name === "article" ? choices : ["", ...choices];  // the first article is the default
    return label(name, make("select", about, ...texts.map((text) => make("option", { value: text }, text || "default"))));
  }
  const type = { number: "number", probability: "number" }[kind] ?? "text";
  const limits = kind === "number" ? { min: least, max: most } : kind === "probability" ? { min: 0, max: 1, step: "any" } : {};
  return label(name, make("input", { ...about, type, ...limits, autocomplete: "off", spellcheck: false }));
}

/** What a field says while nothing is chosen. */
const defaultOf = (field) => (field.name === "article" ? field.options[0].value : "");

/** Makes the form for a chapter, with the lesson's settings in it. */
function setForm({ chapter, query }) {
  if (form.dataset.chapter !== chapter) {
    const at = form.contains(document.activeElement) ? document.activeElement.name : "";
    form.dataset.chapter = chapter;
    const chapters = make("select", { name: "chapter" }, ...settings.chapters.map(({ name, summary }) =>
      make("option", { value: name, title: summary }, name)));
    chapters.value = chapter;
    const options = optionsOf(chapter);
    common.replaceChildren(make("label", {}, "chapter", chapters), ...options.filter((one) => one.common).map(fieldOf));
    const others = options.filter((one) => !one.common);
    rest.replaceChildren(...[...new Set(others.map(({ group }) => group))].map((group) =>
      make("fieldset", {}, make("legend", {}, group), ...others.filter((one) => one.group === group).map(fieldOf))));
    if (at) form.elements[at]?.focus({ preventScroll: true });
  }
  for (const field of form.querySelectorAll("[name]:not([name=chapter])")) {
    const value = query.get(field.name);
    if (field.type === "checkbox") field.checked = value !== null;
    else if (field.value !== (value ?? defaultOf(field))) field.value = value ?? defaultOf(field);
  }
}

/** The lesson that the form asks for. */
function lessonOfForm() {
  const chapter = form.elements.chapter.value;
  const query = new URLSearchParams();
  for (const { name, choices } of optionsOf(chapter)) {
    const field = form.elements[name];
    const value = !field ? "" : field.type === "checkbox" ? (field.checked ? "yes" : "") : field.value.trim();
    const isChoice = !choices || choices.includes(value);  // another chapter may have other articles
    if (value && value !== defaultOf(field) && isChoice) query.set(name, value);
  }
  return lessonOf(chapter, query);
}

/** Shows an error beside the setting that it names; null: nothing is wrong. */
function complain(message) {
  form.querySelectorAll("[aria-invalid]").forEach((field) => field.removeAttribute("aria-invalid"));
  wrong.textContent = message ?? "";
  const at = ({ name }) => `${message} `.search(new RegExp(`--${name}[^-\\w]`));
  const [named] = !message ? [] : [...form.querySelectorAll("[name]")].filter((field) => at(field) >= 0).sort((one, other) => at(one) - at(other));
  if (!named) {
    section.append(wrong);
    return;
  }
  named.setAttribute("aria-invalid", "true");
  named.closest("details")?.setAttribute("open", "");
  named.closest("label").after(wrong);
}

const sentenceOf = (told) => told.replace(/^attn-walkthrough: error: /, "");

// ---- From one lesson to the next ---------------------------------------------------------------------

let lastField = "";  // that was changed
let lessonLife = new AbortController();
let shown = lessonOf(settings.shown.chapter, new URLSearchParams(settings.shown.options));  // on the page
let request = new AbortController();  // of the lesson that the address asked for last

/** Puts another lesson's page in the place of this one's, around the settings. */
function replace(html) {
  const page = new DOMParser().parseFromString(html, "text/html");
  const isLesson = (element) => !element.matches(".live, .checked, script:not([id^=lesson])");
  for (const element of [...document.body.children].filter(isLesson)) element.remove();
  const parts = [...page.body.children].filter((element) => !element.matches("script:not([id])"));
  const [before, after] = [parts.slice(0, 3), parts.slice(3)];  // the link to the step, the bar, how far it is
  section.before(...before.map((part) => document.adoptNode(part)));
  section.after(...after.map((part) => document.adoptNode(part)));
  document.title = page.title;
}

/** Starts the script of the lesson's page for what is on the page now. */
function start() {
  lessonLife.abort();
  lessonLife = new AbortController();
  lessonPage(lessonLife.signal, `${shown.words}/`);
}

/** Shows another lesson. Whoever is at a setting stays there. */
function show(lesson, html) {
  const field = section.contains(document.activeElement) ? document.activeElement : null;
  const [top, changing] = [window.scrollY, lastField];
  shown = lesson;
  replace(html);
  start();
  if (!field) return;
  field.focus({ preventScroll: true });
  window.scrollTo(0, top);
  lastField = changing;
}

const computed = (lesson, signal) => run([...argumentsOf(lesson), "--format=html", "--output=lesson.html"], "lesson.html", [], signal);

/** Shows what the address asks for. */
async function route() {
  const asked = lessonIn(location.hash);
  if (!asked) {
    const step = location.hash.slice(1);
    if (find(step.split(/[[?%]/)[0])) history.replaceState(null, "", addressOf(shown, step));
    else if (step) complain(`the address names "${step.split(/[/?]/)[0]}", which is neither a chapter nor a step of this one`);
    return;
  }
  const address = addressOf(asked, asked.step);
  if (address !== location.hash) history.replaceState(null, "", address);
  setForm(asked);
  request.abort();
  request = new AbortController();
  const { signal } = request;
  if (asked.words === shown.words) {
    section.removeAttribute("aria-busy");
    complain(null);
    return;
  }
  section.setAttribute("aria-busy", "true");
  let answer;
  try {
    answer = await computed(asked, signal);
  } catch (error) {
    answer = { code: 2, told: error.message };
  }
  if (signal.aborted) return;  // another one has been asked for since
  section.removeAttribute("aria-busy");
  complain(answer.code ? sentenceOf(answer.told) : null);
  if (answer.code) return;
  show(asked, new TextDecoder().decode(answer.file));
  said.textContent = `The lesson is now ${asked.chapter}${asked.query.size ? `, ${asked.query}` : ""}.`;
}

/** Takes over what the form says. Changes of one field in a row are one entry of the history. */
function apply(field) {
  const step = lessonIn(location.hash)?.step ?? "";
  const address = addressOf(lessonOfForm(), step);
  if (address === location.hash) return;
  if (field === lastField) history.replaceState(null, "", address);
  else history.pushState(null, "", address);
  lastField = field;
  route();
}

let typing = 0;
form.addEventListener("input", ({ target }) => {
  if (!target.name) return;
  clearTimeout(typing);
  typing = setTimeout(() => apply(target.name), target.matches("input:not([type=checkbox])") ? 150 : 0);
});
form.addEventListener("focusout", () => { lastField = ""; });
form.addEventListener("submit", (event) => event.preventDefault());
form.querySelector("details").addEventListener("toggle", () => window.dispatchEvent(new Event("resize")));
window.addEventListener("hashchange", route);

// ---- Files: what is shown, to keep; and somebody's page or dump, to check ------------------------------

const downloads = [
  ["tensors (.npz)", "lesson.npz", ["--save=lesson.npz"]],
  ["notebook (.ipynb)", "lesson.ipynb", ["--output=lesson.ipynb"]],
  ["PyTorch program (.py)", "lesson.py", ["--emit=pytorch", "--output=lesson.py"]],
  ["handout (.md)", "lesson.md", ["--output=lesson.md"]],
  ["page without settings (.html)", "lesson.html", ["--output=lesson.html"]],
];

async function download([, name, args]) {
  const answer = await run([...argumentsOf(shown), ...args], name);
  complain(answer.code ? sentenceOf(answer.told) : null);
  if (answer.code) return;
  const link = make("a", { href: URL.createObjectURL(new Blob([answer.file])), download: `${shown.chapter}.${name.split(".")[1]}` });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

const dialog = document.querySelector("dialog.checked");
const isDump = (name) => /\.(npy|npz|safetensors|csv)$/i.test(name);

/** Checks files that somebody brought, and shows the report; a dump is compared with the lesson that is shown. */
async function check(list) {
  const given = await Promise.all([...list].map(async (file) => [file.name, new Uint8Array(await file.arrayBuffer())]));
  if (!given.length) return;
  const isFolder = given.length > 1 && given.every(([name]) => isDump(name));
  const [chapter, ...lesson] = argumentsOf(shown);
  const args = given.some(([name]) => isDump(name)) ? [`--chapter=${chapter}`, ...lesson] : [];
  const read = given.map(([name, bytes]) => [isFolder ? `dump/${name}` : name, bytes]);
  const named = isFolder ? ["dump"] : read.map(([name]) => name);
  const answer = await run(["verify", ...args, "--format=html", "--output=report.html", "--", ...named], "report.html", read);
  complain(answer.code > 1 ? sentenceOf(answer.told) : null);
  if (answer.code > 1) return;
  dialog.querySelector("h2").textContent = isFolder ? "Your dump" : given.map(([name]) => name).join(", ");
  dialog.querySelector("iframe").srcdoc = new TextDecoder().decode(answer.file);
  dialog.showModal();
}

const chooser = make("input", { type: "file", multiple: true });
chooser.addEventListener("change", () => {
  check(chooser.files);
  chooser.value = "";
});
files.append(...downloads.map((one) => {
  const button = make("button", { type: "button" }, one[0]);
  button.addEventListener("click", () => download(one));
  return button;
}), make("label", { title: "A page is checked as it is, a dump against this lesson. Nothing leaves this page." }, "check a page or a dump", chooser));

const carriesFiles = ({ dataTransfer }) => [...(dataTransfer?.types ?? [])].includes("Files");
const setDropping = (isOver) => document.documentElement.classList.toggle("dropping", isOver);
document.addEventListener("dragover", (event) => {
  if (!carriesFiles(event)) return;
  event.preventDefault();
  setDropping(true);
});
document.addEventListener("dragleave", ({ relatedTarget }) => relatedTarget || setDropping(false));
document.addEventListener("drop", (event) => {
  if (!carriesFiles(event)) return;
  event.preventDefault();
  setDropping(false);
  check(event.dataTransfer.files);
});

// ---- The beginning -----------------------------------------------------------------------------------

document.querySelector(".progress").after(section);
setForm(shown);
start();
route();
if (typeof DecompressionStream === "undefined") {
  form.querySelectorAll("input, select, button").forEach((field) => { field.disabled = true; });
  complain("this browser is too old to compute other lessons; the one below is complete");
} else setTimeout(() => computed(shown, request.signal), 200);  // so the first change takes no longer than the others
