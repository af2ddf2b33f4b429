#include "present/presenter.hpp"

#include <optional>
#include <string_view>

#include "present/changing.hpp"
#include "present/pace.hpp"
#include "present/pointing.hpp"
#include "present/prompt.hpp"
#include "present/search.hpp"
#include "present/stage.hpp"
#include "present/walks.hpp"
#include "present/words.hpp"
#include "text/numbers.hpp"

namespace attn::present {
namespace {

using Kind = Key::Kind;
using Part = Stage::Part;

bool begins_a_cell(char32_t character) {
  return (character >= U'0' && character <= U'9') || character == U'-' || character == U'[';
}

/// What follows a chapter.
enum class Way { quit, onward, back };

/// The chapter's neighbours.
struct Around {
  bool has_before = false;
  bool has_after = false;
  bool from_after = false;  ///< the reader comes back from the next chapter
};

/// Carries out key presses in one chapter.
class Presenter {
 public:
  /// The screen is created after the walk.
  Presenter(const Presentation& presentation, const Around& around, std::optional<Screen>& screen,
            render::Colours colours)
      : presentation_(presentation),
        around_(around),
        walks_(presentation),
        screen_(screen ? *screen : screen.emplace(colours)),
        stage_(presentation, walks_, screen_),
        prompt_(screen_, stage_),
        pointing_(presentation, walks_, stage_, prompt_),
        changing_(walks_, stage_, prompt_, pointing_),
        pace_(presentation.seconds) {
    if (walks_.steps().empty()) {
      return;
    }
    if (around.from_after) {
      stage_.to(walks_.steps().size() - 1);
    }
    if (presentation.is_framed) {
      stage_.to(around.from_after ? Part::ending : Part::introduction);
    }
  }

  Way run() {
    while (!walks_.steps().empty() && !way_) {
      stage_.draw(message_.empty() ? hint() : message_);
      handle(screen_.wait_for_key(stage_.is_covered() || is_at_end() ? std::nullopt : pace_.deadline()));
      if (prompt_.is_closed()) {
        quit();
      }
    }
    return way_.value_or(Way::quit);
  }

 private:
  void quit() { way_ = Way::quit; }
  /// Returns true if nothing follows.
  bool is_at_end();
  bool is_on_step() const { return stage_.part() == Part::steps; }
  std::string hint();

  void handle(const Key& key);
  void pace(const Key& key);
  void handle_covered(const Key& key);
  void act(const Key& key);
  void letter(char32_t letter);
  void escape();
  void toggle_heatmap();
  void toggle_projector();

  // Going through steps
  void show(std::size_t at);
  void next();
  void next_step();
  void back();
  void jump();
  void search(bool again);
  void find_next();

  const Presentation& presentation_;
  Around around_;
  Walks walks_;
  Screen& screen_;
  Stage stage_;
  Prompt prompt_;
  Pointing pointing_;
  Changing changing_;
  Pace pace_;
  std::optional<Way> way_;
  std::string message_;
  std::string searched_;
};

bool Presenter::is_at_end() {
  const bool is_last = stage_.at() + 1 == walks_.steps().size() && !stage_.board().hides();
  return !around_.has_after && (stage_.part() == Part::ending || (is_last && is_on_step() && !presentation_.is_framed));
}

std::string Presenter::hint() {
  if (stage_.is_covered()) {
    return hint_line(stage_.place(), cover_hints, screen_.columns());
  }
  if (stage_.projects() && is_on_step()) {
    return stage_.place();
  }
  if (stage_.board().hides()) {
    const std::string rows = std::to_string(stage_.board().revealed()) + "/" + std::to_string(stage_.board().rows());
    const std::string paced = pace_.is_on() ? pace_.words() + "  " : "";
    return hint_line(paced + "rows " + rows + "  ", row_hints, screen_.columns());
  }
  if (pace_.is_on() && !is_at_end()) {
    return hint_line(pace_.words(), pace_hints, screen_.columns());
  }
  if (!is_on_step()) {
    return hint_line(stage_.place(), frame_hints, screen_.columns());
  }
  return stage_.board().chosen() ? hint_line(stage_.place(), cell_hints, screen_.columns())
                                 : hint_line(stage_.place(), step_hints, screen_.columns());
}

// ---- What keys do --------------------------------------------------------------------------------

void Presenter::handle(const Key& key) {
  switch (key.kind) {
    case Kind::resumed: pace_.restart(); [[fallthrough]];
    case Kind::resize:
      stage_.refresh();
      stage_.see_cell();
      return;
    case Kind::closed: quit(); return;
    case Kind::timeout:
      message_.clear();
      next();
      pace_.restart();
      return;
    default: break;
  }
  message_.clear();
  if (pace_.is_on() && !stage_.is_covered() && !is_at_end() && key.is(U' ')) {
    pace_.pause_or_go_on();
    return;
  }
  pace(key);
  if (stage_.is_covered()) {
    handle_covered(key);
  } else {
    act(key);
  }
}

/// Keys other than next and back have something to show.
void Presenter::pace(const Key& key) {
  const bool goes_on = key.kind == Kind::enter || key.kind == Kind::backspace || key.is(U'b') || key.is(U'r');
  if (goes_on) {
    pace_.restart();
  } else {
    pace_.pause();
  }
}

void Presenter::handle_covered(const Key& key) {
  if (stage_.scroll(key.kind)) {
    return;
  }
  stage_.uncover();
  if (key.is(U'q')) {
    quit();
  } else if (changing_.lists_rules()) {
    message_ = changing_.take_rule(key);
  }
}

void Presenter::act(const Key& key) {
  if (stage_.board().move(key.kind)) {
    message_ = pointing_.derive_chosen();
    return;
  }
  if (stage_.scroll(key.kind)) {
    return;
  }
  switch (key.kind) {
    case Kind::enter: next(); break;
    case Kind::backspace: back(); break;
    case Kind::escape: escape(); break;
    case Kind::tab: message_ = pointing_.choose(); break;
    case Kind::character: letter(key.character); break;
    default: break;
  }
}

void Presenter::letter(char32_t letter) {
  if (stage_.projects() && (letter == U'+' || letter == U'=' || letter == U'-')) {
    stage_.enlarge(letter == U'-' ? -1 : 1);
    stage_.see_cell();
    return;
  }
  if (stage_.board().chosen() && begins_a_cell(letter)) {
    message_ = pointing_.type(std::string(1, static_cast<char>(letter)));
    return;
  }
  constexpr std::u32string_view of_steps = U"ehpcrwW";
  if (!is_on_step() && of_steps.find(letter) != std::u32string_view::npos) {
    message_ = "no step here; Enter or b goes to one";
    return;
  }
  switch (letter) {
    case U' ': next(); break;
    case U'b': back(); break;
    case U'g': jump(); break;
    case U'/': search(false); break;
    case U'n': search(true); break;
    case U'e': stage_.toggle_explaining(); break;
    case U'h': toggle_heatmap(); break;
    case U'p': toggle_projector(); break;
    case U'c': message_ = pointing_.type(""); break;
    case U'r': message_ = pointing_.reveal(); break;
    case U's': message_ = changing_.ask_for_seed(); break;
    case U'w': message_ = changing_.what_if(); break;
    case U'W': message_ = changing_.list_rules(); break;
    case U'?': stage_.cover(key_lines(pace_.is_on())); break;
    case U'q': quit(); break;
    default: message_ = "unknown key; ? lists the keys";
  }
}

void Presenter::toggle_heatmap() {
  if (walks_.view() == Walks::View::difference) {
    message_ = "the difference is already a heat map";
    return;
  }
  stage_.toggle_heatmap();
  stage_.see_cell();
}

void Presenter::toggle_projector() {
  stage_.toggle_projector();
  stage_.see_cell();
}

void Presenter::escape() {
  if (stage_.derives()) {
    stage_.end_derivation();
    return;
  }
  pointing_.reveal_all();
}

// ---- Going through steps -------------------------------------------------------------------------

void Presenter::show(std::size_t at) {
  stage_.to(at);
  message_ = stage_.change_words();
}

void Presenter::next() {
  if (stage_.board().hides()) {
    message_ = pointing_.reveal();
  } else if (!stage_.page_on()) {
    next_step();
  }
}

void Presenter::next_step() {
  if (is_at_end()) {
    message_ = is_on_step() ? "this is the last step; q quits" : "this is the end; q quits";
    return;
  }
  const bool is_last = stage_.at() + 1 == walks_.steps().size();
  if (stage_.part() == Part::ending || (is_on_step() && is_last && !presentation_.is_framed)) {
    way_ = Way::onward;
    return;
  }
  if (is_on_step() && is_last) {
    stage_.to(Part::ending);
    return;
  }
  show(is_on_step() ? stage_.at() + 1 : 0);
  pointing_.arrive();
}

void Presenter::back() {
  if (stage_.part() == Part::ending) {
    show(stage_.at());
  } else if (is_on_step() && stage_.at() > 0) {
    show(stage_.at() - 1);
  } else if (is_on_step() && presentation_.is_framed) {
    stage_.to(Part::introduction);
  } else if (around_.has_before) {
    way_ = Way::back;
  } else {
    message_ = is_on_step() ? "this is the first step" : "this is the introduction; Enter goes on";
  }
}

void Presenter::jump() {
  const std::optional<std::string> typed = prompt_.ask("go to step: ").text;
  if (!typed || typed->empty()) {
    return;
  }
  const std::vector<Step>& steps = walks_.steps();
  if (const auto number = text::number_of<std::int64_t>(*typed)) {
    if (*number >= 1 && *number <= static_cast<std::int64_t>(steps.size())) {
      show(static_cast<std::size_t>(*number) - 1);
    } else {
      message_ = "no step " + *typed + "; choose 1 to " + std::to_string(steps.size());
    }
    return;
  }
  if (const auto found = step_named(steps, *typed)) {
    show(*found);
    return;
  }
  message_ = "no step '" + *typed + "'; try 1 to " + std::to_string(steps.size()) + ", or " + steps.back().name;
}

void Presenter::search(bool again) {
  if (!again || searched_.empty()) {
    const std::optional<std::string> typed = prompt_.ask("/").text;
    if (!typed || (typed->empty() && searched_.empty())) {
      return;
    }
    searched_ = typed->empty() ? searched_ : *typed;
  }
  find_next();
}

void Presenter::find_next() {
  const std::size_t at = stage_.part() == Part::introduction ? walks_.steps().size() - 1 : stage_.at();
  const auto found = step_with(walks_.steps(), at, searched_, presentation_.text);
  if (!found) {
    message_ = "no match for '" + searched_ + "'";
    return;
  }
  const bool wrapped_around = *found < at && stage_.part() != Part::introduction;
  const bool only_here = *found == at && is_on_step();
  show(*found);
  message_ = only_here ? "only in this step: " + searched_
                       : (wrapped_around ? "wrapped to the top: " : "found: ") + searched_ + "; n for more";
  stage_.to_text(searched_);
}

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
