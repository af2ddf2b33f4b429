// ---- Projector: nothing but the picture, its formula and its derivation -----------------------------

const projectorButton = document.querySelector("button.projector");
let enlarged = 1;  // by + and -

function isProjected() {
  return root.classList.contains("projector");
}

/** The type sizes to try, in pixels, the largest first: 38 lines a screen, up to 54 if a picture needs them. */
function projectedSizes() {
  return isProjected() ? [38, 42, 48, 54].map((lines) => Math.max((enlarged * window.innerHeight) / lines, 14)) : [0];
}

function setType(size) {
  root.style.fontSize = size ? `${size.toFixed(2)}px` : "";
}

function setProjector(isOn) {
  root.classList.toggle("projector", isOn);
  projectorButton.setAttribute("aria-pressed", String(isOn));
  if (!isOn) setType(0);
  enlarged = 1;
  openContents(false);
  resize();
}

/** Fits the step again with the chosen type size. */
function resize() {
  if (views[current]) fit(views[current]);
  else setType(projectedSizes()[0]);
}

projectorButton.addEventListener("click", () => setProjector(!isProjected()));
listen(document, "keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey || document.querySelector("dialog[open]")) return;
  if (event.target.closest("input, textarea, select")) return;
  if (event.key === "p") setProjector(!isProjected());
  else if (isProjected() && ["+", "=", "-"].includes(event.key)) {
    enlarged = Math.min(Math.max(enlarged * (event.key === "-" ? 1 / 1.15 : 1.15), 0.5), 2);
    resize();
  } else return;
  event.preventDefault();
});

// ---- Slides: what is printed of the projector, one step a sheet --------------------------------------

const sheet = { width: 281, height: 106 };  // millimetres for the maps, as in lesson_projector.css

/** The type size and the number of maps side by side with which a step's maps fill a sheet. */
function setSlide({ node, maps, result }) {
  const digits = Math.max(...printed(node).map((number) => number.length));
  const names = (axis) => (axis < 0 ? 0 : Math.max(...Array.from({ length: node.s[axis] }, (_, at) => axisName(node, axis, at).length)));
  const { columns, rows } = maps[0];
  const caption = Math.max(...maps.map(({ element }) => element.caption.textContent.length)) * 0.62 + 1;
  const width = Math.max(caption, columns * (Math.max(digits, names(node.s.length - 1)) * 0.62 + 1.2) + names(node.s.length - 2) * 0.62 + 2.5);
  const height = (rows + 2.6) * 1.65;
  const sizes = maps.map((_, i) => Math.min(sheet.width / ((i + 1) * width), sheet.height / (Math.ceil(maps.length / (i + 1)) * height)));
  const size = Math.max(...sizes);
  result.style.setProperty("--slide", `${Math.min(size, 7).toFixed(2)}mm`);
  result.style.setProperty("--slides", sizes.indexOf(size) + 1);
}

listen(window, "beforeprint", () => {
  if (isProjected()) views.forEach((state) => state && setSlide(state));
});
