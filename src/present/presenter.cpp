#include "present/presenter.hpp"

#include <algorithm>
#include <exception>
#include <optional>
#include <string_view>
#include <utility>

#include "present/page.hpp"
#include "present/scrolled.hpp"
#include "present/search.hpp"
#include "text/columns.hpp"
#include "text/lines.hpp"
#include "text/numbers.hpp"
#include "text/styled.hpp"
#include "text/utf8.hpp"

namespace attn::present {
namespace {

using Kind = Key::Kind;

/// An error's words without the option that they are usually about.
std::string plain(std::string message) {
  constexpr std::string_view option = "--cell: ";
  return message.starts_with(option) ? message.substr(option.size()) : message;
}

class Presenter {
 public:
  explicit Presenter(const Presentation& presentation)
      : presentation_(presentation), seed_(presentation.seed), steps_(presentation.walk(seed_)) {}

  void run() {
    while (!steps_.empty() && !done_) {
      draw();
      handle(screen_.wait_for_key());
    }
  }

 private:
  const Step& step() const { return steps_[at_]; }
  const Step* step_before_seed() const { return before_.size() == steps_.size() ? &before_[at_] : nullptr; }
  /// The rows between the first, the title, and the last.
  std::int64_t room() const { return std::max<std::int64_t>(screen_.rows() - 2, 0); }

  // What is seen
  void draw();
  void compose();
  const Change& change();
  void draw_frame(std::string last, std::optional<std::int64_t> cursor);
  text::StyledLine title() const;
  std::string hint() const;
  std::string fitted(const std::string& text) const;

  // What keys do
  void handle(const Key& key);
  void letter(char32_t letter);
  void show(std::size_t at);
  void next();
  void back();
  void jump();
  void search(bool again);
  void find_next();
  void derive();
  void reseed();
  void take_seed(torch::Seed seed);
  std::optional<std::string> ask(const std::string& question);

  const Presentation& presentation_;
  torch::Seed seed_;
  std::vector<Step> steps_;
  std::vector<Step> before_;  ///< with the seed before
  Screen screen_;
  std::size_t at_ = 0;
  bool explaining_ = false;
  bool heatmap_ = false;
  bool keys_ = false;
  bool done_ = false;
  std::string derivation_;
  std::optional<Change> change_;  ///< of the step that is shown, once it is made
  ScrolledLines page_;
  bool stale_ = true;  ///< the page is to be made anew
  std::string message_;
  std::string searched_;
};

// ---- What is seen --------------------------------------------------------------------------------

void Presenter::draw() {
  compose();
  draw_frame(message_.empty() ? hint() : message_, {});
}

/// The whole page, however long, where anything on it is another than before.
void Presenter::compose() {
  if (!std::exchange(stale_, false)) {
    page_.keep_within(room());
    return;
  }
  std::shared_ptr<const LongLines> long_ones;
  Lines lines;
  const auto add = [&lines](const Lines& more) { lines.insert(lines.end(), more.begin(), more.end()); };
  if (keys_) {
    add(key_lines());
  } else {
    if (heatmap_) {
      long_ones = heatmap_lines(step(), presentation_, screen_.terminal());
    } else {
      long_ones = change().lines;
    }
    if (explaining_) {
      lines.emplace_back();
      add(explanation_lines(step(), presentation_, screen_.columns()));
    }
    const Lines derivation = derivation_lines(derivation_, screen_.columns());
    if (!derivation.empty()) {
      lines.emplace_back();
      add(derivation);
    }
  }
  page_.set(std::move(long_ones), std::move(lines));
  page_.keep_within(room());
}

const Change& Presenter::change() {
  if (!change_) {
    change_ = compared(step(), step_before_seed(), presentation_.text);
  }
  return *change_;
}

void Presenter::draw_frame(std::string last, std::optional<std::int64_t> cursor) {
  Lines frame = page_.seen(room(), screen_.columns());
  if (screen_.rows() > 1) {
    frame.insert(frame.begin(), title());
  }
  frame.push_back({{std::move(last)}});
  screen_.draw(frame, cursor);
}

std::string Presenter::fitted(const std::string& text) const {
  const render::Terminal terminal = screen_.terminal();
  return render::cut_to(render::printable(text, terminal), screen_.columns(), terminal);
}

/// "2/9 attn_scores            all_tokens  seed 123": the right part only where it fits.
text::StyledLine Presenter::title() const {
  const std::string left = " " + std::to_string(at_ + 1) + "/" + std::to_string(steps_.size()) + " " + step().name;
  const std::string section = step().section + (step().section.empty() ? "" : "  ");
  const std::string right = section + "seed " + seed_.text() + " ";
  const std::int64_t space = screen_.columns() - text::display_columns(left) - text::display_columns(right);
  const std::string line = space < 2 ? left : left + std::string(static_cast<std::size_t>(space), ' ') + right;
  return {{text::left_aligned(fitted(line), screen_.columns()), {.reverse = true}}};
}

/// The longest that fits.
std::string Presenter::hint() const {
  for (const char* keys : {"Enter next  b back  g go  / find  e why  h heat  c cell  s seed  ? keys  q quit",
                           "Enter next  b back  e explain  h heat map  ? keys  q quit",
                           "Enter next  b back  ? keys  q quit",
                           "? keys  q quit"}) {
    const std::string text = page_.place(room()) + keys;
    if (text::display_columns(text) <= screen_.columns()) {
      return text;
    }
  }
  return fitted("? keys  q quit");
}

// ---- What keys do --------------------------------------------------------------------------------

void Presenter::handle(const Key& key) {
  if (key.kind == Kind::resize) {
    stale_ = true;
    return;
  }
  if (key.kind == Kind::closed) {
    done_ = true;
    return;
  }
  message_.clear();
  if (page_.scroll(key.kind, room(), screen_.columns())) {
    return;
  }
  if (std::exchange(keys_, false)) {
    page_.to_row(0);
    stale_ = true;
    done_ = key.is(U'q');
    return;
  }
  if (key.kind == Kind::enter) {
    next();
  } else if (key.kind == Kind::backspace) {
    back();
  } else if (key.kind == Kind::escape) {
    derivation_.clear();
    stale_ = true;
  } else if (key.kind == Kind::character) {
    letter(key.character);
  }
}

void Presenter::letter(char32_t letter) {
  switch (letter) {
    case U' ': next(); break;
    case U'b': back(); break;
    case U'g': jump(); break;
    case U'/': search(false); break;
    case U'n': search(true); break;
    case U'e': explaining_ = !explaining_; stale_ = true; break;
    case U'h': heatmap_ = !heatmap_; stale_ = true; break;
    case U'c': derive(); break;
    case U's': reseed(); break;
    case U'?': keys_ = true; stale_ = true; page_.to_begin(); break;
    case U'q': done_ = true; break;
    default: message_ = "no such key; ? shows all keys";
  }
}

void Presenter::show(std::size_t at) {
  at_ = at;
  page_.to_begin();
  derivation_.clear();
  change_.reset();
  stale_ = true;
  if (step_before_seed() != nullptr && change().cells > 0) {
    message_ = "seed " + seed_.text() + ": " + std::to_string(change().changed) + " of " +
               std::to_string(change().cells) + " cells changed";
  }
}

void Presenter::next() {
  if (at_ + 1 < steps_.size()) {
    show(at_ + 1);
  } else {
    message_ = "this is the last step; q quits";
  }
}

void Presenter::back() {
  if (at_ > 0) {
    show(at_ - 1);
  } else {
    message_ = "this is the first step";
  }
}

/// The last row's text as the user edits it; nothing for Escape.
std::optional<std::string> Presenter::ask(const std::string& question) {
  std::string typed;
  for (;;) {
    compose();
    const std::string line = question + typed;
    const std::int64_t cut = std::max<std::int64_t>(text::display_columns(line) + 1 - screen_.columns(), 0);
    draw_frame(text::plain_text(text::sliced({{line}}, cut, screen_.columns())), text::display_columns(line) - cut);
    const Key key = screen_.wait_for_key();
    switch (key.kind) {
      case Kind::enter: return std::string(text::trimmed(typed));
      case Kind::closed: done_ = true; [[fallthrough]];
      case Kind::escape: return std::nullopt;
      case Kind::resize: stale_ = true; break;
      case Kind::backspace: text::drop_last_character(typed); break;
      case Kind::character:
        if (typed.size() < 1000) {
          text::append_utf8(typed, key.character);
        }
        break;
      default: break;
    }
  }
}

void Presenter::jump() {
  const std::optional<std::string> typed = ask("go to step: ");
  if (!typed || typed->empty()) {
    return;
  }
  if (const auto number = text::number_of<std::int64_t>(*typed)) {
    if (*number >= 1 && *number <= static_cast<std::int64_t>(steps_.size())) {
      show(static_cast<std::size_t>(*number) - 1);
    } else {
      message_ = "no step " + *typed + "; there are 1 to " + std::to_string(steps_.size());
    }
    return;
  }
  if (const auto found = step_named(steps_, *typed)) {
    show(*found);
    return;
  }
  message_ = "no step '" + *typed + "'; try 1 to " + std::to_string(steps_.size()) + ", or " + steps_.back().name;
}

void Presenter::search(bool again) {
  if (!again || searched_.empty()) {
    const std::optional<std::string> typed = ask("/");
    if (!typed || (typed->empty() && searched_.empty())) {
      return;
    }
    searched_ = typed->empty() ? searched_ : *typed;
  }
  find_next();
}

void Presenter::find_next() {
  const auto found = step_with(steps_, at_, searched_, presentation_.text);
  if (!found) {
    message_ = "nothing has '" + searched_ + "'";
    return;
  }
  const bool wrapped_around = *found < at_;
  const bool only_here = *found == at_;
  show(*found);
  message_ = only_here ? "only in this step: " + searched_
                       : (wrapped_around ? "from the top again: " : "found: ") + searched_ + "; n for more";
  compose();
  page_.to_text(searched_, room());
}

void Presenter::derive() {
  if (step().kind != Step::Kind::tensor) {
    message_ = "this step has no cells";
    return;
  }
  const std::string question = "cell of " + step().name + " (such as " + example_cell(step()) + "): ";
  const std::optional<std::string> typed = step().tensor->dim() == 0 ? std::string() : ask(question);
  if (!typed || (typed->empty() && step().tensor->dim() > 0)) {
    return;
  }
  try {
    derivation_ = derivation_of(steps_, step(), *typed, presentation_);
  } catch (const std::exception& error) {
    message_ = plain(error.what());
    return;
  }
  derivation_ += "(Escape takes this away)\n";
  stale_ = true;
  compose();
  page_.to_last(static_cast<std::int64_t>(derivation_lines(derivation_, screen_.columns()).size()), room());
}

void Presenter::reseed() {
  const std::optional<std::string> typed = ask("seed (now " + seed_.text() + "): ");
  if (!typed || typed->empty()) {
    return;
  }
  if (const auto seed = torch::parsed_seed(*typed)) {
    take_seed(*seed);
  } else {
    message_ = "'" + *typed + "' is no seed; try a whole number such as 42";
  }
}

void Presenter::take_seed(torch::Seed seed) {
  try {
    std::vector<Step> steps = presentation_.walk(seed);
    if (steps.empty()) {
      return;
    }
    before_ = std::exchange(steps_, std::move(steps));
  } catch (const std::exception& error) {
    message_ = plain(error.what());
    return;
  }
  seed_ = seed;
  const std::int64_t row = page_.row();
  show(std::min(at_, steps_.size() - 1));
  page_.to_row(row);
}

}  // namespace

void present(const Presentation& presentation) {
  require_terminal();
  Presenter(presentation).run();
}

}  // namespace attn::present
