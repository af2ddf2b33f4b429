#include "render/draws.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <optional>
#include <ostream>
#include <utility>
#include <variant>

#include <nlohmann/json.hpp>

#include "lesson/cell.hpp"
#include "render/json.hpp"
#include "tensor/operations.hpp"
#include "tensor/words.hpp"
#include "text/columns.hpp"
#include "text/numbers.hpp"
#include "torch/distributions.hpp"
#include "torch/drawn_words.hpp"
#include "torch/generator.hpp"

namespace attn::render {
namespace {

using nlohmann::ordered_json;
using torch::Draw;
using torch::DrawnWords;

std::string hex_text(std::uint32_t word) {
  std::array<char, 11> text{};
  std::snprintf(text.data(), text.size(), "0x%08x", static_cast<unsigned>(word));
  return text.data();
}

/// One draw: its words, drawn again, and the values they became.
class ShownDraw {
 public:
  ShownDraw(const Draw& draw, const torch::Draws& draws, const std::vector<Step>& steps)
      : draw_(draw), draws_(draws), words_(draw, draws.dropout_kernel), contents_(draw.leaf.array().contents()) {
    for (const Step& step : steps) {
      if (step.kind == Step::Kind::tensor && step_ == nullptr && is_of(step)) {
        step_ = &step;
      }
    }
  }

  const Draw& draw() const { return draw_; }
  const DrawnWords& words() const { return words_; }
  const Step* step() const { return step_; }

  /// "self_attention/W_query"; the program's name for a draw that no step shows.
  std::string name() const {
    if (step_ != nullptr) {
      return full_name(*step_);
    }
    return draw_.module.empty() ? expression() : draw_.module + (draw_.leaf.dim() == 1 ? ".bias" : ".weight");
  }
  std::string expression() const { return draw_.leaf.operation().words({}); }

  Shape index(std::uint64_t element) const { return index_at(static_cast<std::int64_t>(element), draw_.leaf.shape()); }
  std::string element_name(std::uint64_t element) const { return name() + index_text(index(element)); }

  ordered_json value_json(std::uint64_t element) const {
    if (const auto* keeps = std::get_if<Block<bool>>(contents_.get())) {
      return keeps->data()[element];
    }
    return number_json(floats()[element]);
  }
  std::string value_text(std::uint64_t element) const {
    if (const auto* keeps = std::get_if<Block<bool>>(contents_.get())) {
      return keeps->data()[element] ? "True" : "False";
    }
    const std::string text = text::float_text(floats()[element]);
    return text.starts_with('-') ? text : " " + text;
  }

  /// The rule that turns words into values.
  std::string rule() const {
    const Facts facts = draw_.leaf.operation().facts();
    const std::string keep = python_repr(facts.p);
    const std::string wide = "u = ((high * 2**32 + low) mod 2**53) / 2**53";
    if (facts.kind == Kind::bernoulli) {
      return draws_.dropout_kernel == DropoutKernel::standard ? wide + "; True where u < " + keep
                                                              : "seeds MCG31m1: x = word mod (2**31 - 1), 1 for 0, "
                                                                "then x = 1132489760 x mod (2**31 - 1); True where "
                                                                "x / (2**31 - 1) < " +
                                                                    keep;
    }
    if (facts.kind != Kind::uniform) {
      return words_.part_of(0) == torch::Part::u1
                 ? "u1 = 1 - (word mod 2**24) / 2**24, u2 = (word mod 2**24) / 2**24, r = sqrt(-2 ln u1); in a block "
                   "of 16, the "
                   "element in u1's place is r cos(2 pi u2), that in u2's place r sin(2 pi u2)"
                 : wide +
                       " for u1 and u2, r = sqrt(-2 ln(1 - u2)); the first element is r cos(2 pi u1), the second r "
                       "sin(2 pi u1)";
    }
    if (facts.fan_in == 0) {
      return "u = (word mod 2**24) / 2**24, which is the value";
    }
    const double bound =
        draw_.leaf.dim() == 1 ? torch::linear_bias_bound(facts.fan_in) : torch::linear_weight_bound(facts.fan_in);
    const bool is_fused = draws_.kernels.cpu != Cpu::standard;
    return "u = (word mod 2**24) / 2**24; the value is u * (b - a) + a in float32, rounded " +
           std::string(is_fused ? "once" : "twice") + ", with b = -a = " + text::float_text(static_cast<float>(bound));
  }

 private:
  bool is_of(const Step& step) const { return data_of(*step.tensor).id() == draw_.leaf.id(); }
  const float* floats() const { return std::get<Block<float>>(*contents_).data(); }

  const Draw& draw_;
  const torch::Draws& draws_;
  DrawnWords words_;
  std::shared_ptr<const Contents> contents_;
  const Step* step_ = nullptr;
};

/// An element of this draw, or of a later one if this draw left over a normal.
struct Made {
  const ShownDraw* draw;
  std::uint64_t element;
};

struct DrawnWord {
  std::uint64_t number;  ///< since seeding
  std::uint32_t word;
  torch::Part part;
};

/// All draws of a program, and its generator run again.
class Redraw {
 public:
  explicit Redraw(const DrawsShown& shown) : shown_(shown), generator_(0) {
    const torch::Draws& draws = shown.walk.draws();
    for (const Draw& draw : draws.draws) {
      draws_.emplace_back(draw, draws, shown.walk.steps());
    }
    for (std::size_t i = 0; i < draws_.size(); ++i) {
      if (is_wanted(draws_[i])) {
        wanted_.push_back(i);
      }
    }
  }

  const std::vector<ShownDraw>& draws() const { return draws_; }
  /// The places of the requested draws.
  const std::vector<std::size_t>& wanted() const { return wanted_; }

  const torch::Seed& seed_of(const ShownDraw& draw) const { return shown_.walk.draws().seeds.at(draw.draw().seeding); }

  /// The draw that left over the normal used as this draw's first element.
  const ShownDraw& giver(std::size_t place) const {
    while (!draws_[--place].words().leaves_over()) {
    }
    return draws_[place];
  }

  /// Draws the words of one draw again. Call it in the program's order.
  void for_each_word(std::size_t place, const std::function<void(const DrawnWord&, const std::vector<Made>&)>& visit) {
    const ShownDraw& draw = draws_[place];
    if (seeding_ != draw.draw().seeding) {
      seeding_ = draw.draw().seeding;
      generator_.manual_seed(seed_of(draw));
    }
    draw.words().for_each_word([&](std::uint64_t word) {
      const std::uint64_t number = draw.draw().first + word;
      generator_.discard(number - generator_.count());
      std::vector<Made> made;
      draw.words().for_each_element(word, [&](std::uint64_t element) { made.push_back({&draw, element}); });
      const ShownDraw* const taker = draw.words().is_left_over(word) ? taker_after(place) : nullptr;
      if (taker != nullptr) {
        made.push_back({taker, 0});
      }
      visit({number, generator_.random(), draw.words().part_of(word)}, made);
    });
  }

 private:
  bool is_wanted(const ShownDraw& draw) const {
    const Step* const step = draw.step();
    const auto is_meant = [step](const std::string& name) { return step != nullptr && is_called(*step, name); };
    return shown_.only.empty() || std::ranges::any_of(shown_.only, is_meant);
  }
  const ShownDraw* taker_after(std::size_t place) const {
    const std::size_t seeding = draws_[place].draw().seeding;
    while (++place < draws_.size() && draws_[place].draw().seeding == seeding) {
      if (draws_[place].words().takes_left_over()) {
        return &draws_[place];
      }
    }
    return nullptr;
  }

  const DrawsShown& shown_;
  std::vector<ShownDraw> draws_;
  std::vector<std::size_t> wanted_;
  torch::Generator generator_;
  std::optional<std::size_t> seeding_;
};

std::int64_t columns_of_element(const ShownDraw& draw) {
  Shape last = draw.draw().leaf.shape();
  std::ranges::for_each(last, [](std::int64_t& size) { --size; });
  return text::display_columns(draw.name() + index_text(last));
}

/// The table as text.
class DrawsTable {
 public:
  DrawsTable(std::ostream& out, Redraw& redraw) : out_(out), redraw_(redraw) {
    for (const std::size_t place : redraw.wanted()) {
      const ShownDraw& draw = redraw.draws()[place];
      number_columns_ = std::max(number_columns_, columns(last_of(draw)));
      for (std::uint64_t word = 0; word < std::min<std::uint64_t>(draw.draw().count, 4); ++word) {
        const std::string_view part = torch::part_name(draw.words().part_of(word));
        part_columns_ = std::max(part_columns_, static_cast<std::int64_t>(part.size()));
      }
      element_columns_ = std::max(element_columns_, columns_of_element(draw));
    }
  }

  void write() {
    if (redraw_.wanted().empty()) {
      out_ << "# these steps draw no random numbers\n";
      return;
    }
    out_ << "# each 32-bit word of MT19937: its number since seeding, counted from 0; the word,\n# decimal and "
            "hexadecimal; what it is for; the elements made from it, with values\n";
    std::optional<std::size_t> seeding;
    for (const std::size_t place : redraw_.wanted()) {
      const ShownDraw& draw = redraw_.draws()[place];
      if (seeding != draw.draw().seeding) {
        seeding = draw.draw().seeding;
        out_ << "# torch.manual_seed(" << redraw_.seed_of(draw).text() << ")\n";
      }
      write_draw(place);
    }
  }

 private:
  static std::string last_of(const ShownDraw& draw) {
    return std::to_string(draw.draw().first + std::max<std::uint64_t>(draw.draw().count, 1) - 1);
  }
  static std::int64_t columns(const std::string& digits) { return static_cast<std::int64_t>(digits.size()); }

  void write_draw(std::size_t place) {
    const ShownDraw& draw = redraw_.draws()[place];
    out_ << "# " << draw.name() << (draw.step() == nullptr ? ", which no step shows" : "");
    if (draw.name() != draw.expression()) {
      out_ << " = " << draw.expression();
    }
    out_ << ": "
         << (draw.draw().count == 0 ? "no word" : "words " + std::to_string(draw.draw().first) + " to " + last_of(draw))
         << '\n';
    if (draw.draw().count > 0) {
      out_ << "# " << draw.rule() << '\n';
    }
    if (draw.words().takes_left_over()) {
      const ShownDraw& giver = redraw_.giver(place);
      out_ << "# " << draw.element_name(0) << " =" << (draw.value_text(0).starts_with('-') ? " " : "")
           << draw.value_text(0) << " is the second normal of " << giver.name() << "'s last four words\n";
    }
    redraw_.for_each_word(place, [&](const DrawnWord& word, const std::vector<Made>& made) { write_word(word, made); });
    if (const std::uint64_t rest = draw.words().passed_over(); rest > 0) {
      out_ << "# " << text::grouped_digits(rest) << (rest == 1 ? " more word" : " more words")
           << " for rows that are not used\n";
    }
  }

  void write_word(const DrawnWord& word, const std::vector<Made>& made) {
    const std::string before = text::right_aligned(std::to_string(word.number), number_columns_) + "  " +
                               text::right_aligned(std::to_string(word.word), 10) + "  " + hex_text(word.word) + "  " +
                               text::left_aligned(torch::part_name(word.part), part_columns_) + "  ";
    out_ << before;
    if (made.empty()) {
      out_ << "its elements are drawn again\n";
      return;
    }
    const bool is_line_each = word.part == torch::Part::stream_seed;
    for (std::size_t i = 0; i < made.size(); ++i) {
      constexpr std::int64_t value_columns = 15;
      const bool is_last = is_line_each || i + 1 == made.size();
      const std::string value = made[i].draw->value_text(made[i].element);
      out_ << (is_line_each && i > 0 ? std::string(before.size(), ' ') : "")
           << text::left_aligned(made[i].draw->element_name(made[i].element), element_columns_) << "  "
           << (is_last ? value + "\n" : text::left_aligned(value, value_columns) + "  ");
    }
  }

  std::ostream& out_;
  Redraw& redraw_;
  std::int64_t number_columns_ = 1;
  std::int64_t part_columns_ = 1;
  std::int64_t element_columns_ = 1;
};

ordered_json draw_json(const Redraw& redraw, std::size_t place) {
  const ShownDraw& draw = redraw.draws()[place];
  ordered_json json = {
      {"step", draw.step() == nullptr ? ordered_json(nullptr) : ordered_json(draw.name())},
      {"expression", draw.expression()},
      {"shape", draw.draw().leaf.shape()},
      {"seed", seed_json(redraw.seed_of(draw))},
      {"first", draw.draw().first},
      {"count", draw.draw().count},
      {"rule", draw.rule()},
      {"passed_over", draw.words().passed_over()},
  };
  json["left_over_by"] =
      draw.words().takes_left_over() ? ordered_json(redraw.giver(place).name()) : ordered_json(nullptr);
  return json;
}

ordered_json word_json(const DrawnWord& word, const std::vector<Made>& made) {
  ordered_json elements = ordered_json::array();
  for (const Made& one : made) {
    elements.push_back({{"step", one.draw->name()},
                        {"index", one.draw->index(one.element)},
                        {"value", one.draw->value_json(one.element)}});
  }
  return {{"number", word.number},
          {"word", word.word},
          {"hex", hex_text(word.word)},
          {"part", torch::part_name(word.part)},
          {"elements", std::move(elements)}};
}

}  // namespace

void write_draws_text(std::ostream& out, const DrawsShown& shown) {
  Redraw redraw(shown);
  DrawsTable(out, redraw).write();
}

void write_draws_json(std::ostream& out, const DrawsShown& shown) {
  Redraw redraw(shown);
  JsonWriter json(out);
  json.begin_object();
  json.members(shown.about());
  json.member("draws");
  json.begin_array();
  for (const std::size_t place : redraw.wanted()) {
    json.begin_object();
    json.members(draw_json(redraw, place));
    json.member("words");
    json.begin_array();
    redraw.for_each_word(place, [&](const DrawnWord& word, const std::vector<Made>& made) {
      json.text(json_text(word_json(word, made), -1));
    });
    json.end();
    json.end();
  }
  json.end();
  json.end();
  out << '\n';
}

}  // namespace attn::render
