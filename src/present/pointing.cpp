#include "present/pointing.hpp"

#include <exception>
#include <string_view>
#include <utility>

#include "present/page.hpp"

namespace attn::present {
namespace {

constexpr const char* no_cells = "this step has no cells";

/// Returns an error's message without the option that it usually names.
std::string plain(const std::string& message) {
  constexpr std::string_view option = "--cell: ";
  return message.starts_with(option) ? message.substr(option.size()) : message;
}

}  // namespace

// ---- Cells ---------------------------------------------------------------------------------------

std::string Pointing::type(const std::string& begun) {
  const Step* const step = stage_.step_in_view();
  if (step == nullptr || step->kind != Step::Kind::tensor) {
    return no_cells;
  }
  if (step->tensor->dim() == 0) {
    return take_typed("");
  }
  const std::string question = "cell of " + step->name + " (such as " + example_cell(*step) + "): ";
  const Prompt::Answer answer = prompt_.ask(question, begun, stage_.board().has_cells());
  if (answer.is_arrow || (answer.text && answer.text->empty())) {
    return choose();
  }
  return answer.text ? take_typed(*answer.text) : "";
}

std::string Pointing::take_typed(const std::string& typed) {
  try {
    const Step& step = *stage_.step_in_view();
    const render::Cell cell = typed_cell(walks_.steps_in_view(), step, typed, presentation_.tokens);
    const bool is_here = cell.step->tensor->id() == step.tensor->id();
    if (is_here && stage_.board().hides(cell.index)) {
      return "this row is still hidden; Enter shows the next row, Escape all";
    }
    if (is_here && stage_.board().choose(cell.index)) {
      return derive_chosen();
    }
    stage_.end_derivation();
    stage_.derive(cell);
  } catch (const std::exception& error) {
    return plain(error.what());
  }
  return "";
}

std::string Pointing::choose() {
  Board& board = stage_.board();
  if (!board.has_cells()) {
    return no_cells;
  }
  if (board.hides() && board.revealed() == 0) {
    return "all rows are still hidden; Enter shows the first, Escape all";
  }
  if (!last_cell_ || board.hides(*last_cell_) || !board.choose(*last_cell_)) {
    board.choose_first();
  }
  return derive_chosen();
}

std::string Pointing::derive_chosen() {
  const Step* const step = stage_.step_in_view();
  const std::optional<Shape> index = stage_.board().chosen();
  if (step == nullptr || !index) {
    return "";
  }
  last_cell_ = index;
  try {
    stage_.derive({step, *index});
    stage_.see_cell();
  } catch (const std::exception& error) {
    return plain(error.what());
  }
  return "";
}

// ---- Rows ----------------------------------------------------------------------------------------

std::string Pointing::reveal() {
  Board& board = stage_.board();
  if (!board.has_cells()) {
    return "this step has no rows to hide";
  }
  revealing_ = true;
  if (!board.hides()) {
    hide_rows();
    return "";
  }
  board.reveal_row();
  if (!board.hides()) {
    stage_.recompose();
  }
  stage_.see_row();
  return "";
}

void Pointing::hide_rows() {
  stage_.end_derivation();
  stage_.board().hide();
  stage_.see_row();
}

void Pointing::reveal_all() {
  if (std::exchange(revealing_, false)) {
    stage_.board().reveal_all();
    stage_.recompose();
  }
}

void Pointing::arrive() {
  if (!revealing_) {
    return;
  }
  stage_.see_row();
  if (stage_.board().has_cells()) {
    hide_rows();
  }
}

}  // namespace attn::present
