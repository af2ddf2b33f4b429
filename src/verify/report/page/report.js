// What a cell's title says is shown at the foot of the window instead, for the pointer and for the keyboard: Tab reaches
// tensors, the arrows the cells of one, Escape puts the text away.
const panel = document.getElementById("derivation");
let shown = null;

function show(cell) {
  shown?.classList.remove("shown");
  shown = cell;
  panel.hidden = !cell;
  if (!cell) return;
  panel.firstElementChild.textContent = cell.dataset.said ??= cell.title;
  cell.removeAttribute("title");
  cell.classList.add("shown");
}

document.addEventListener("pointerover", (event) => {
  const cell = event.target.closest?.(".cell");
  if (cell) show(cell);
});

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") {
    if (panel.contains(event.target)) shown?.closest(".tensor")?.focus({preventScroll: true});
    return show(null);
  }
  const tensor = event.target.closest?.(".tensor");
  const step = {ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1}[event.key];
  if (!tensor || !step) return;
  const cells = [...tensor.querySelectorAll(".cell")];
  const at = cells.indexOf(shown);
  const next = at < 0 ? (step > 0 ? 0 : cells.length - 1) : at + step;
  if (!cells[next]) return;
  event.preventDefault();
  show(cells[next]);
  cells[next].scrollIntoView({block: "nearest", inline: "nearest"});
});
