#include "present/presenter.hpp"

#include <algorithm>
#include <exception>

#include "lesson/cell.hpp"
#include "lesson/told.hpp"
#include "present/stage.hpp"
#include "text/lines.hpp"
#include "text/numbers.hpp"
#include "text/utf8.hpp"

namespace attn::present {
namespace {

using Part = Stage::Part;

constexpr std::string_view key_list = R"(Enter, space  the lines below, then the next step
b             step before
g             go to a step, by number or name
e             explain: shapes, why, what to notice
h             heat map
c             derive a cell: type it
Tab           choose a cell with the arrows; Home, End: its row
w             what if: one rule changed, and the original
W             what if: another rule
arrows        scroll; PageUp, PageDown, Home, End too
Escape        leave the cell
?             these keys
q             quit

q quits; any other key goes back to the step.
)";

/// What follows a chapter.
enum class Way { quit, onward, back };

/// The chapter's neighbours.
struct Around {
  bool has_before = false;
  bool has_after = false;
  bool from_after = false;  ///< the reader comes back from the next chapter
};

/// The first step whose name, or "section/name", begins with the text, ignoring case; one of exactly this name first, a
/// tensor before its size.
std::optional<std::size_t> step_named(std::span<const Step> steps, const std::string& typed) {
  const std::string wanted = text::lower(typed);
  const auto rank = [&wanted](const Step& step) {
    const std::string name = text::lower(step.name);
    const std::string full = text::lower(step.section) + "/" + name;
    const bool is_equal = name == wanted || full == wanted;
    const bool fits = name.starts_with(wanted) || full.starts_with(wanted);
    return fits ? 1 + (is_equal ? 2 : 0) + (step.kind == Step::Kind::tensor ? 1 : 0) : 0;
  };
  const auto best = std::ranges::max_element(steps, {}, rank);
  return rank(*best) > 0 ? std::optional(static_cast<std::size_t>(best - steps.begin())) : std::nullopt;
}

/// Carries out key presses in one chapter. What returns a text returns a message for the user.
class Presenter {
 public:
  /// The screen is created after the walk.
  Presenter(const Presentation& presentation, const Around& around, std::optional<Screen>& screen,
            render::Colours colours)
      : presentation_(presentation),
        around_(around),
        walks_(presentation),
        screen_(screen ? *screen : screen.emplace(colours)),
        stage_(presentation, walks_, screen_) {
    if (!walks_.steps().empty()) {
      stage_.to(around.from_after ? last() : 0, !presentation.is_framed ? Part::steps
                                                : around.from_after     ? Part::ending
                                                                        : Part::introduction);
    }
  }

  Way run() {
    std::string message;
    while (!walks_.steps().empty() && !way_) {
      stage_.draw(message.empty() ? hint() : message);
      const Key key = screen_.wait_for_key();
      if (key == keys::resize) {
        stage_.refresh();
      } else if (key == keys::closed) {
        way_ = Way::quit;
      } else {
        message = stage_.is_covered() ? act_covered(key) : act(key);
      }
    }
    return way_.value_or(Way::quit);
  }

 private:
  std::size_t last() const { return walks_.steps().size() - 1; }
  bool is_on_step() const { return stage_.part() == Part::steps; }

  std::string hint() const {
    if (stage_.is_covered()) {
      return "q quits  any other key goes back  " + stage_.place();
    }
    const char* const rest = !is_on_step()     ? "Enter next  b back  g go"
                             : stage_.chosen() ? "arrows another cell  Escape leave  Enter next"
                                               : "Enter next  b back  e why  h heat  c cell  w what if";
    return "? keys  q quit  " + stage_.place() + rest;
  }

  // ---- What keys do --------------------------------------------------------------------------------

  std::string act_covered(Key key) {
    if (stage_.scroll(key)) {
      return "";
    }
    stage_.uncover();
    if (key == U'q') {
      way_ = Way::quit;
    }
    const std::size_t number = std::size_t{key} - U'1';
    return std::exchange(lists_rules_, false) && number < walks_.what_ifs().size() ? change(number) : "";
  }

  std::string act(Key key) {
    if (stage_.move(key)) {
      return derive_chosen();
    }
    if (stage_.scroll(key)) {
      return "";
    }
    constexpr std::u32string_view of_steps = U"ehcwW\t";
    if (!is_on_step() && of_steps.find(key) != std::u32string_view::npos) {
      return "no step here; Enter or b goes to one";
    }
    switch (key) {
      case keys::enter:
      case U' ': return next();
      case keys::backspace:
      case U'b': return back();
      case U'g': return jump();
      case U'e': stage_.toggle_explaining(); return "";
      case U'h': stage_.toggle_heatmap(); return "";
      case U'c': return type_cell();
      case keys::tab: return choose();
      case keys::escape: stage_.leave_cell(); return "";
      case U'w': return what_if();
      case U'W': return list_rules();
      case U'?': stage_.cover(text::styled_lines(key_list)); return "";
      case U'q': way_ = Way::quit; return "";
      default: return "unknown key; ? lists the keys";
    }
  }

  /// Lets the user type on the last row; empty after Escape.
  std::string ask(const std::string& question) {
    for (std::string typed;;) {
      const std::string line = question + typed;
      const std::int64_t columns = text::display_columns(line);
      const std::int64_t cut = std::max<std::int64_t>(columns + 1 - screen_.columns(), 0);
      stage_.draw(text::plain_text(text::sliced({{line}}, cut, screen_.columns())), columns - cut);
      const Key key = screen_.wait_for_key();
      switch (key) {
        case keys::enter: return std::string(text::trimmed(typed));
        case keys::closed: way_ = Way::quit; [[fallthrough]];
        case keys::escape: return "";
        case keys::resize: stage_.refresh(); break;
        case keys::backspace: text::drop_last_character(typed); break;
        default:
          if (key >= U' ' && key < keys::first_named && typed.size() < 1000) {
            text::append_utf8(typed, key);
          }
      }
    }
  }

  // ---- Going through steps -------------------------------------------------------------------------

  std::string next() {
    if (stage_.page_on()) {
      return "";
    }
    if (stage_.part() == Part::introduction) {
      stage_.to(0);
    } else if (is_on_step() && stage_.at() < last()) {
      stage_.to(stage_.at() + 1);
    } else if (is_on_step() && presentation_.is_framed) {
      stage_.to(last(), Part::ending);
    } else if (around_.has_after) {
      way_ = Way::onward;
    } else {
      return is_on_step() ? "this is the last step; q quits" : "this is the end; q quits";
    }
    return "";
  }

  std::string back() {
    if (stage_.part() == Part::ending) {
      stage_.to(last());
    } else if (is_on_step() && stage_.at() > 0) {
      stage_.to(stage_.at() - 1);
    } else if (is_on_step() && presentation_.is_framed) {
      stage_.to(0, Part::introduction);
    } else if (around_.has_before) {
      way_ = Way::back;
    } else {
      return is_on_step() ? "this is the first step" : "this is the introduction; Enter goes on";
    }
    return "";
  }

  std::string jump() {
    const std::string typed = ask("go to step: ");
    const std::vector<Step>& steps = walks_.steps();
    if (typed.empty()) {
      return "";
    }
    const auto number = text::number_of<std::size_t>(typed);
    const auto found = number ? std::optional(*number - 1) : step_named(steps, typed);
    if (!found || *found >= steps.size()) {
      return "no step '" + typed + "'; try 1 to " + std::to_string(steps.size()) + ", or " + steps.back().name;
    }
    stage_.to(*found);
    return "";
  }

  // ---- Cells ---------------------------------------------------------------------------------------

  /// Chooses the cell that was chosen last if this step has it, else the first cell.
  std::string choose() {
    if (!stage_.has_cells()) {
      return "this step has no cells";
    }
    if (!last_cell_ || !stage_.choose(*last_cell_)) {
      stage_.choose_first();
    }
    return derive_chosen();
  }

  /// Asks for a cell as "1, 2", or as "attn_scores[1, 2]" for another step's.
  std::string type_cell() {
    const Step* const step = stage_.step_in_view();
    if (step == nullptr || step->kind != Step::Kind::tensor) {
      return "this step has no cells";
    }
    const Shape last(step->tensor->shape());
    std::string example;
    for (const std::int64_t size : last) {
      example += (example.empty() ? "" : ", ") + std::to_string(std::max<std::int64_t>(size - 1, 0));
    }
    const std::string typed = ask("cell of " + step->name + " (such as " + example + "): ");
    if (typed.empty()) {
      return "";
    }
    try {
      const bool has_name = typed.find('[') != std::string::npos;
      render::CellRequest request = render::parse_cell(has_name ? typed : step->name + "[" + typed + "]");
      request.section = has_name ? request.section : step->section;
      const render::Cell cell = render::find_cell(walks_.steps_in_view(), request, presentation_.tokens);
      if (cell.step->tensor->id() == step->tensor->id() && stage_.choose(cell.index)) {
        return derive_chosen();
      }
      stage_.leave_cell();
      return derive(cell);
    } catch (const std::exception& error) {
      return error.what();
    }
  }

  std::string derive_chosen() {
    const Step* const step = stage_.step_in_view();
    if (step == nullptr || !stage_.chosen()) {
      stage_.leave_cell();
      return "";
    }
    last_cell_ = stage_.chosen();
    return derive({step, *last_cell_});
  }

  std::string derive(const render::Cell& cell) {
    try {
      stage_.show_derivation(render::derivation_text(cell, 1, presentation_.tokens, presentation_.text.print) +
                             "(Escape closes this)\n");
      return "";
    } catch (const std::exception& error) {
      return error.what();
    }
  }

  // ---- One rule changed ----------------------------------------------------------------------------

  std::string what_if() {
    if (walks_.rule() == nullptr) {
      return walks_.what_ifs().size() == 1 ? change(0) : list_rules();
    }
    walks_.toggle();
    return show_walks();
  }

  std::string list_rules() {
    if (walks_.what_ifs().empty()) {
      return "no rule can be changed in this chapter";
    }
    lists_rules_ = true;
    Lines lines = {{{"What if", {.bold = true}}}};
    for (const WhatIf* rule : walks_.what_ifs()) {
      lines.push_back({{std::to_string(lines.size()) + " " + std::string(rule->name)}});
    }
    lines.emplace_back();
    lines.push_back({{"A number chooses that rule. q quits; any other key goes back."}});
    stage_.cover(std::move(lines));
    return "";
  }

  std::string change(std::size_t rule) {
    try {
      walks_.change(*walks_.what_ifs()[rule]);
    } catch (const std::exception& error) {
      return error.what();
    }
    return show_walks();
  }

  std::string show_walks() {
    stage_.refresh();
    return derive_chosen();
  }

  const Presentation& presentation_;
  Around around_;
  Walks walks_;
  Screen& screen_;
  Stage stage_;
  bool lists_rules_ = false;
  std::optional<Shape> last_cell_;
  std::optional<Way> way_;
};

}  // namespace

void present(std::span<const Presentation> chapters, render::Colours colours) {
  require_terminal();
  std::optional<Screen> screen;
  Way way = Way::onward;
  for (std::size_t at = 0; way != Way::quit; at = way == Way::back ? at - 1 : at + 1) {
    const Around around = {.has_before = at > 0, .has_after = at + 1 < chapters.size(), .from_after = way == Way::back};
    way = Presenter(chapters[at], around, screen, colours).run();
  }
}

}  // namespace attn::present
