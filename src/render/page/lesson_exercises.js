// ---- The exercises' bar and dialog ------------------------------------------------------------------

const exerciseText = make("p", { class: "task" });
const ruleChoice = make("select", { "aria-label": "Which rule is changed?" });
const ruleForm = make("form", { class: "answer" }, ruleChoice, make("button", {}, "Check"),
                      action("Hint", () => hintAtRule()));
const exerciseBar = make("div", { class: "exercise", role: "group", "aria-label": "Exercise" }, exerciseText, ruleForm,
                         action("Show me", () => showAll()), action("New", () => begin(exercise.kind, exercise.asked?.length || 1)),
                         action("End", () => endExercise()));

/** Shows the exercise's bar in its step, and hides what would reveal the answers. */
function dress(step) {
  const article = articles[step];
  const isOn = isHere(step);
  article.classList.toggle("exercising", isOn && exercise.kind !== "rule");
  root.classList.toggle("riddle", isSecret());
  const state = views[step];
  if (state && (state.covered || (isOn && exercise.kind !== "rule"))) {
    const wasCovered = state.covered;
    cover(state);
    if (wasCovered !== state.covered) {
      state.shown = undefined;
      explain(state, state.pinned);
    }
  }
  if (!isOn) {
    exerciseBar.remove();
    return;
  }
  const header = article.querySelector(":scope > header");
  if (exerciseBar.parentElement !== header) header.append(exerciseBar);
  const words = exerciseWords();
  if (exerciseText.textContent !== words) exerciseText.textContent = words;
  ruleForm.hidden = !isSecret() || exercise.rule === null;
  const isOver = exercise.kind === "numbers" ? exercise.asked.every((one) => exercise.marks.has(one)) : exercise.isOver || exercise.rule === null || exercise.position === null;
  exerciseBar.querySelector(":scope > button").hidden = isOver;
  const names = rulesOf(chapterOf(step)).map(({ name }) => name);
  if (exercise.kind === "rule" && [...ruleChoice.options].slice(1).map(({ value }) => value).join() !== names.join()) {
    ruleChoice.replaceChildren(make("option", { value: "" }, "choose a rule"), ...names.map((name) => make("option", {}, name)));
  }
}

/** The rule has been found: shows it like any other. */
function revealRule(isShown) {
  exercise.isOver = true;
  exercise.isShown = isShown;
  variants.clear();
  presentStep(current);
  setAddress();
  said.textContent = `${exercise.name}: ${did.textContent} ${exerciseWords()}`;
}

ruleForm.addEventListener("submit", (event) => {
  event.preventDefault();
  const chosen = rulesOf(chapterOf(current)).findIndex(({ name }) => name === ruleChoice.value);
  if (chosen < 0) return;
  ++exercise.tries;
  if (chosen === exercise.rule || actAlike(current, chosen, exercise.rule)) {
    revealRule(false);
    return;
  }
  exerciseText.textContent = `No, not ${ruleChoice.value}. ${exerciseWords()}`;
  said.textContent = exerciseText.textContent;
});

/** Hints: first the first step that differs, then the rule's effect on the numbers. */
function hintAtRule() {
  ++exercise.hints;
  const first = steps.findIndex((one, step) => isHere(step) && one.whatIfs?.[exercise.rule]);
  const { did: sentence, name } = chapterOf(current).whatIfs[exercise.rule];
  const words = exercise.hints === 1 ? `The first step that differs is ${steps[first].id}.` : sentence.replace(new RegExp(`^${name}:?\\s*`), "");
  exerciseText.textContent = words;
  said.textContent = words;
}

function showAll() {
  if (exercise.kind === "rule") {
    revealRule(true);
    return;
  }
  const state = views[exercise.step];
  if (exercise.kind === "wrong") {
    exercise.isOver = exercise.isShown = true;
    exercise.marks.set(exercise.position, "missed");
    settleAnswer(state, exercise.position, `it is this one: ${printed(state.node)[exercise.position]}, not ${exercise.text}`);
    return;
  }
  for (const one of exercise.asked) if (!exercise.marks.has(one)) exercise.marks.set(one, "missed");
  cover(state);
  state.shown = undefined;
  explain(state, state.pinned);
  dress(exercise.step);
  said.textContent = exerciseWords();
}

/** The nearest step that has numbers to ask for, starting with the current one. */
function stepToAsk() {
  const fits = (step) => !steps[step].frame && askable(step).length > 0 && nodeOf(step);
  return [...steps.keys()].filter(fits).sort((one, other) => {
    const [a, b] = [one, other].map((step) => (step >= current ? step - current : steps.length + current - step));
    return a - b;
  })[0] ?? null;
}

function begin(kind, wanted, chosen = null) {
  const step = kind === "rule" && !steps[current].frame ? current : stepToAsk();
  if (step === null) return;
  const node = nodeOf(step);
  const seed = newSeed();
  const cells = () => (chosen === null ? someOf(askable(step).filter((position) => !isPlain(value({ node, position }))), wanted, dice(seed)) : chosen)
    .map((position) => indexWords(node, position)).join(";");
  location.hash = `${prefix}${steps[step].id}?exercise=${kind}&${kind === "numbers" ? `cells=${cells()}` : `seed=${seed}`}`;
}

function endExercise() {
  exercise = null;
  whatIf.rule = "";
  shareScales();
  variants.clear();
  presentStep(current);
  setAddress();
  focusCell(views[current]?.pinned ?? null);
}

const exerciseDialog = document.querySelector("dialog.exercises");
const exerciseButton = document.querySelector("button.exercises");

/** The chosen cell of the current step, if it can be hidden. */
const cellToHide = () => {
  const at = views[current]?.pinned ?? null;
  return at !== null && views[current] === asIs[current]?.state && askable(current).includes(at) ? at : null;
};

function openExercises() {
  const at = cellToHide();
  const hide = exerciseDialog.querySelector("[value=hide]");
  hide.hidden = at === null;
  if (at !== null) hide.textContent = `Hide ${place(nodeOf(current), at)}`;
  exerciseDialog.querySelector("[value=rule]").hidden = !rules.length;
  exerciseDialog.returnValue = "";
  exerciseDialog.showModal();
}

exerciseDialog.addEventListener("close", () => {
  const wanted = Math.max(1, Math.floor(Number(exerciseDialog.querySelector("input").value)) || 1);
  const kind = exerciseDialog.returnValue;
  if (kind === "hide") begin("numbers", 0, [...(exercise?.kind === "numbers" ? exercise.asked : []), cellToHide()]);
  else if (kind) begin(kind, wanted);
});
exerciseButton.addEventListener("click", openExercises);
exerciseButton.hidden = !steps.some(({ ask }) => ask?.length);
