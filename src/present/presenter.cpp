#include "present/presenter.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <exception>
#include <optional>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>

#include "present/page.hpp"
#include "present/styled.hpp"

namespace attn::present {
namespace {

using Kind = Key::Kind;

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

std::string trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(' ');
  return begin == std::string_view::npos ? ""
                                         : std::string(text.substr(begin, text.find_last_not_of(' ') + 1 - begin));
}

template <class Integer>
std::optional<Integer> integer_of(const std::string& text) {
  Integer number = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && rest == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

std::string utf8(char32_t c) {
  const auto byte = [](char32_t bits) { return static_cast<char>(static_cast<unsigned char>(bits)); };
  if (c < 0x80) {
    return {byte(c)};
  }
  if (c < 0x800) {
    return {byte(0xC0 | c >> 6U), byte(0x80 | (c & 0x3FU))};
  }
  if (c < 0x10000) {
    return {byte(0xE0 | c >> 12U), byte(0x80 | (c >> 6U & 0x3FU)), byte(0x80 | (c & 0x3FU))};
  }
  return {byte(0xF0 | c >> 18U), byte(0x80 | (c >> 12U & 0x3FU)), byte(0x80 | (c >> 6U & 0x3FU)),
          byte(0x80 | (c & 0x3FU))};
}

void drop_last_character(std::string& text) {
  while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0xC0U) == 0x80U) {
    text.pop_back();
  }
  if (!text.empty()) {
    text.pop_back();
  }
}

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
  void draw_frame(std::string last, std::optional<std::int64_t> cursor);
  std::string title() const;
  std::string hint() const;
  std::string place() const;
  std::string fitted(const std::string& text) const;

  // What keys do
  void handle(const Key& key);
  bool scroll(Kind kind);
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
  void scroll_to_line_with(const std::string& wanted);

  const Presentation& presentation_;
  torch::Seed seed_;
  std::vector<Step> steps_;
  std::vector<Step> before_;  ///< with the seed before
  Screen screen_;
  std::size_t at_ = 0;
  std::int64_t top_ = 0;
  std::int64_t left_ = 0;
  bool explaining_ = false;
  bool heatmap_ = false;
  bool keys_ = false;
  bool done_ = false;
  std::vector<std::string> derivation_;
  std::vector<std::string> page_;
  std::string message_;
  std::string searched_;
};

// ---- What is seen --------------------------------------------------------------------------------

void Presenter::draw() {
  compose();
  draw_frame(message_.empty() ? hint() : message_, {});
}

/// The whole page, however long.
void Presenter::compose() {
  const std::int64_t width = screen_.columns();
  page_.clear();
  const auto add = [this](const std::vector<std::string>& lines) {
    page_.insert(page_.end(), lines.begin(), lines.end());
  };
  if (keys_) {
    add(key_lines());
  } else {
    add(heatmap_ ? heatmap_lines(step(), presentation_, screen_.terminal())
                 : lines_of(compared(step(), step_before_seed(), presentation_.text).text));
    if (explaining_) {
      page_.emplace_back();
      add(explanation_lines(step(), presentation_, width));
    }
    if (!derivation_.empty()) {
      page_.emplace_back();
      add(derivation_);
    }
  }
  const auto lines = static_cast<std::int64_t>(page_.size());
  top_ = std::clamp<std::int64_t>(top_, 0, std::max<std::int64_t>(lines - room(), 0));
}

void Presenter::draw_frame(std::string last, std::optional<std::int64_t> cursor) {
  std::vector<std::string> frame;
  if (screen_.rows() > 1) {
    frame.push_back(title());
  }
  for (std::int64_t row = 0; row < room(); ++row) {
    const auto line = static_cast<std::size_t>(top_ + row);
    frame.emplace_back();
    for (const Run& run : line < page_.size() ? sliced(runs_of(page_[line]), left_, screen_.columns())
                                              : std::vector<Run>{}) {
      frame.back() += sgr(run);
    }
  }
  frame.push_back(std::move(last));
  screen_.draw(frame, cursor);
}

std::string Presenter::fitted(const std::string& text) const {
  const render::Terminal terminal = screen_.terminal();
  return render::cut_to(render::printable(text, terminal), screen_.columns(), terminal);
}

/// "2/9 attn_scores            all_tokens  seed 123": the right part only where it fits.
std::string Presenter::title() const {
  const std::string left = " " + std::to_string(at_ + 1) + "/" + std::to_string(steps_.size()) + " " + step().name;
  const std::string section = step().section + (step().section.empty() ? "" : "  ");
  const std::string right = section + "seed " + seed_.text() + " ";
  const std::int64_t space = screen_.columns() - render::display_columns(left) - render::display_columns(right);
  const std::string line = space < 2 ? left : left + std::string(static_cast<std::size_t>(space), ' ') + right;
  std::string text = fitted(line);
  const std::int64_t left_over = screen_.columns() - render::display_columns(text);
  text.append(static_cast<std::size_t>(std::max<std::int64_t>(left_over, 0)), ' ');
  return reversed(text);
}

/// The lines that are seen, where not all are.
std::string Presenter::place() const {
  const auto lines = static_cast<std::int64_t>(page_.size());
  if (lines <= room()) {
    return "";
  }
  return std::to_string(top_ + 1) + "-" + std::to_string(std::min(top_ + room(), lines)) + " of " +
         std::to_string(lines) + " lines  ";
}

/// The longest that fits.
std::string Presenter::hint() const {
  for (const char* keys : {"Enter next  b back  g go  / find  e why  h heat  c cell  s seed  ? keys  q quit",
                           "Enter next  b back  e explain  h heat map  ? keys  q quit",
                           "Enter next  b back  ? keys  q quit",
                           "? keys  q quit"}) {
    const std::string text = place() + keys;
    if (render::display_columns(text) <= screen_.columns()) {
      return text;
    }
  }
  return fitted("? keys  q quit");
}

// ---- What keys do --------------------------------------------------------------------------------

void Presenter::handle(const Key& key) {
  if (key.kind == Kind::resize) {
    return;
  }
  if (key.kind == Kind::closed) {
    done_ = true;
    return;
  }
  message_.clear();
  if (scroll(key.kind)) {
    return;
  }
  if (std::exchange(keys_, false)) {
    top_ = 0;
    done_ = key.is(U'q');
    return;
  }
  if (key.kind == Kind::enter) {
    next();
  } else if (key.kind == Kind::backspace) {
    back();
  } else if (key.kind == Kind::escape) {
    derivation_.clear();
  } else if (key.kind == Kind::character) {
    letter(key.character);
  }
}

bool Presenter::scroll(Kind kind) {
  const std::int64_t screenful = std::max<std::int64_t>(room() - 1, 1);
  const std::int64_t sideways = std::max<std::int64_t>(screen_.columns() / 4, 1);
  switch (kind) {
    case Kind::up: --top_; break;
    case Kind::down: ++top_; break;
    case Kind::page_up: top_ -= screenful; break;
    case Kind::page_down: top_ += screenful; break;
    case Kind::home: top_ = 0; left_ = 0; break;
    case Kind::end: top_ = static_cast<std::int64_t>(page_.size()); break;
    case Kind::left: left_ = std::max<std::int64_t>(left_ - sideways, 0); break;
    case Kind::right: {
      std::int64_t widest = 0;
      for (const std::string& line : page_) {
        widest = std::max(widest, columns_of(line));
      }
      left_ = std::clamp<std::int64_t>(widest - screen_.columns(), 0, left_ + sideways);
      break;
    }
    default: return false;
  }
  return true;
}

void Presenter::letter(char32_t letter) {
  switch (letter) {
    case U' ': next(); break;
    case U'b': back(); break;
    case U'g': jump(); break;
    case U'/': search(false); break;
    case U'n': search(true); break;
    case U'e': explaining_ = !explaining_; break;
    case U'h': heatmap_ = !heatmap_; break;
    case U'c': derive(); break;
    case U's': reseed(); break;
    case U'?': keys_ = true; top_ = 0; left_ = 0; break;
    case U'q': done_ = true; break;
    default: message_ = "no such key; ? shows all keys";
  }
}

void Presenter::show(std::size_t at) {
  at_ = at;
  top_ = 0;
  left_ = 0;
  derivation_.clear();
  if (step_before_seed() != nullptr) {
    const Change change = compared(step(), step_before_seed(), presentation_.text);
    if (change.cells > 0) {
      message_ = "seed " + seed_.text() + ": " + std::to_string(change.changed) + " of " +
                 std::to_string(change.cells) + " cells changed";
    }
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
    const std::int64_t cut = std::max<std::int64_t>(render::display_columns(line) + 1 - screen_.columns(), 0);
    std::string shown;
    for (const Run& run : sliced(runs_of(line), cut, screen_.columns())) {
      shown += run.text;
    }
    draw_frame(shown, render::display_columns(line) - cut);
    const Key key = screen_.wait_for_key();
    switch (key.kind) {
      case Kind::enter: return trimmed(typed);
      case Kind::closed: done_ = true; [[fallthrough]];
      case Kind::escape: return std::nullopt;
      case Kind::backspace: drop_last_character(typed); break;
      case Kind::character: typed += typed.size() < 1000 ? utf8(key.character) : ""; break;
      default: break;
    }
  }
}

void Presenter::jump() {
  const std::optional<std::string> typed = ask("go to step: ");
  if (!typed || typed->empty()) {
    return;
  }
  if (const auto number = integer_of<std::int64_t>(*typed)) {
    if (*number >= 1 && *number <= static_cast<std::int64_t>(steps_.size())) {
      show(static_cast<std::size_t>(*number) - 1);
    } else {
      message_ = "no step " + *typed + "; there are 1 to " + std::to_string(steps_.size());
    }
    return;
  }
  // The whole name, then its beginning, then a part of it.
  const std::string wanted = lower(*typed);
  for (const int closeness : {0, 1, 2}) {
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      const std::string name = lower(steps_[i].name);
      const std::string full = lower(steps_[i].section) + "/" + name;
      const bool fits = closeness == 0   ? name == wanted || full == wanted
                        : closeness == 1 ? name.starts_with(wanted) || full.starts_with(wanted)
                                         : full.find(wanted) != std::string::npos;
      if (fits) {
        show(i);
        return;
      }
    }
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

/// From the next step on, around the end, to this one.
void Presenter::find_next() {
  const std::string wanted = lower(searched_);
  for (std::size_t distance = 1; distance <= steps_.size(); ++distance) {
    const std::size_t i = (at_ + distance) % steps_.size();
    const Step& candidate = steps_[i];
    const std::string text =
        candidate.name + "\n" + candidate.section + "\n" + step_text(candidate, presentation_.text);
    if (lower(text).find(wanted) == std::string::npos) {
      continue;
    }
    const bool wrapped_around = i < at_;
    const bool only_here = i == at_;
    show(i);
    message_ = only_here ? "only in this step: " + searched_
                         : (wrapped_around ? "from the top again: " : "found: ") + searched_ + "; n for more";
    scroll_to_line_with(wanted);
    return;
  }
  message_ = "nothing has '" + searched_ + "'";
}

void Presenter::scroll_to_line_with(const std::string& wanted) {
  compose();
  for (std::size_t line = 0; line < page_.size(); ++line) {
    std::string text;
    for (const Run& run : runs_of(page_[line])) {
      text += run.text;
    }
    if (lower(text).find(wanted) != std::string::npos) {
      const auto row = static_cast<std::int64_t>(line);
      top_ = row < room() ? 0 : row;
      return;
    }
  }
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
    derivation_ = derivation_lines(steps_, step(), *typed, presentation_);
  } catch (const std::exception& error) {
    message_ = plain(error.what());
    return;
  }
  derivation_.push_back("(Escape takes this away)");
  compose();
  const auto begin = static_cast<std::int64_t>(page_.size() - derivation_.size());
  top_ = static_cast<std::int64_t>(page_.size()) <= room() ? 0 : begin;
  left_ = 0;
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
  const std::int64_t top = top_;
  show(std::min(at_, steps_.size() - 1));
  top_ = top;
}

}  // namespace

void present(const Presentation& presentation) {
  require_terminal();
  Presenter(presentation).run();
}

}  // namespace attn::present
