#include "present/meeting.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "lesson/account.hpp"
#include "lesson/cell_words.hpp"
#include "lesson/derived.hpp"
#include "tensor/operations.hpp"
#include "text/columns.hpp"
#include "text/lines.hpp"

namespace attn::present {
namespace {

using Term = Derivation::Term;
using Lines = std::vector<text::StyledLine>;

/// An operand's name and its numbers below.
struct Row {
  std::string name;
  std::vector<std::string> numbers;
  std::vector<bool> meets = {};
};

/// An element of a tensor, looked up through a transpose, since a product's operand may be one.
struct Place {
  Tensor tensor;
  Shape index;
};

Place place_of(const Tensor& tensor, const Element& element) {
  const Tensor& operand = tensor.operands()[element.operand];
  if (operand.kind() != Kind::transpose) {
    return {operand, element.index};
  }
  const Element source = render::derived(operand, element.index).terms[0].a;
  return {operand.operands()[source.operand], source.index};
}

class Meeting {
 public:
  Meeting(const render::Cell& cell, std::span<const std::string> tokens, const torch::PrintOptions& print)
      : tensor_(*cell.step->tensor),
        index_(cell.index),
        words_(*cell.step, tokens),
        account_(tensor_, cell.index, words_, print.precision),
        terms_(account_.derivation().terms) {
    choose_terms();
  }

  /// The first row may be the tokens over which a sum runs; it has no name.
  std::vector<Row> rows() const {
    const render::Meeting& meeting = account_.telling().meeting;
    const bool is_list = meeting.is_list && !terms_.empty();
    std::vector<Row> rows;
    if (meeting.covers) {
      rows.push_back(single({0, index_}));
    }
    if (is_list) {
      add_tokens(rows);
      rows.push_back(run_of(a));
      if (terms_[0].b) {
        rows.push_back(run_of(b));
      }
    } else {
      for (const Term& term : terms_) {
        rows.push_back(single(term.a));
        if (term.b) {
          rows.push_back(single(*term.b));
        }
      }
    }
    if (!rows.empty() && !meeting.label.empty()) {
      rows.push_back({meeting.label, each_shown([&](std::size_t i) {
                        return account_.number_text(account_.number(meeting.row, i));
                      })});
      rows.back().meets.assign(rows.back().numbers.size(), !is_list);
    }
    if (account_.telling().has_own) {
      mark_own(rows);
    }
    return rows;
  }

 private:
  /// Terms that are left out have an empty entry.
  using Shown = std::optional<std::size_t>;
  using Side = const Element& (*)(const Term& term);

  static const Element& a(const Term& term) { return term.a; }
  static const Element& b(const Term& term) { return *term.b; }

  bool is_own(const Shown& i) const { return account_.telling().has_own && i == account_.derivation().position; }

  void choose_terms() {
    const std::size_t count = terms_.size();
    bool skips = false;
    for (std::size_t i = 0; i < count; ++i) {
      if (count <= render::most_terms || i < render::first_terms || i + render::last_terms >= count || is_own(i)) {
        shown_.emplace_back(i);
        skips = false;
      } else if (!std::exchange(skips, true)) {
        shown_.emplace_back();
      }
    }
  }

  template <class Text>
  std::vector<std::string> each_shown(Text text) const {
    std::vector<std::string> texts;
    for (const Shown& i : shown_) {
      texts.push_back(i ? text(*i) : "...");
    }
    return texts;
  }

  Row run_of(Side side) const {
    const Place first = place_of(tensor_, side(terms_.front()));
    const Place last = place_of(tensor_, side(terms_.back()));
    Row row = {words_.run(first.tensor, first.index, render::differing_axis(first.index, last.index)),
               each_shown([&](std::size_t i) { return account_.element_text(side(terms_[i])); })};
    for (const Shown& i : shown_) {
      row.meets.push_back(i.has_value());
    }
    return row;
  }

  Row single(const Element& element) const {
    return {
        words_.run(tensor_.operands()[element.operand], element.index, {}), {account_.element_text(element)}, {true}};
  }

  /// Keeps only the element's own term in the rows that have names.
  void mark_own(std::vector<Row>& rows) const {
    for (Row& row : rows) {
      for (std::size_t i = 0; i < shown_.size() && !row.name.empty(); ++i) {
        row.meets[i] = is_own(shown_[i]);
      }
    }
  }

  void add_tokens(std::vector<Row>& rows) const {
    const Place first = place_of(tensor_, terms_.front().a);
    const auto axis = render::differing_axis(first.index, place_of(tensor_, terms_.back().a).index);
    if (words_.token_along(first.tensor, first.index, axis)) {
      rows.push_back({"", each_shown([&](std::size_t i) {
                        const Place place = place_of(tensor_, terms_[i].a);
                        return words_.token_along(place.tensor, place.index, axis).value_or("");
                      })});
    }
  }

  const Tensor& tensor_;
  const Shape& index_;
  render::CellWords words_;
  render::Account account_;
  const std::vector<Term>& terms_;
  std::vector<Shown> shown_;
};

/// Lays the rows out, number below number, in as many blocks as needed.
class Layout {
 public:
  Layout(const std::vector<Row>& rows, std::int64_t width) : rows_(rows), width_(std::max<std::int64_t>(width, 1)) {
    std::int64_t longest_name = 0;
    for (const Row& row : rows_) {
      longest_name = std::max(longest_name, text::display_columns(row.name));
      const bool is_tokens = row.name.empty();
      for (const std::string& number : row.numbers) {
        const std::int64_t columns = text::display_columns(number);
        cell_ = std::max(cell_, is_tokens ? std::min<std::int64_t>(columns, longest_token) : columns);
      }
    }
    is_beside_ = longest_name <= width / 2;
    label_ = is_beside_ ? longest_name : 1;
    in_block_ = static_cast<std::size_t>(std::max<std::int64_t>((width - label_) / (cell_ + 1), 1));
  }

  Lines lines() const {
    Lines lines;
    const std::size_t count = rows_.front().numbers.size();
    for (std::size_t begin = 0; begin < count; begin += in_block_) {
      for (const Row& row : rows_) {
        add(lines, row, begin, std::min(begin + in_block_, count));
      }
    }
    return lines;
  }

 private:
  static constexpr std::int64_t longest_token = 8;

  void add(Lines& lines, const Row& row, std::size_t begin, std::size_t end) const {
    if (!is_beside_ && begin == 0 && !row.name.empty()) {
      for (const std::string& part : text::wrapped(row.name, width_)) {
        lines.push_back({{std::string(text::trimmed(part))}});
      }
    }
    text::StyledLine line;
    text::append(line, text::left_aligned(is_beside_ && begin == 0 ? row.name : "", label_));
    for (std::size_t i = begin; i < end; ++i) {
      const std::string number(text::beginning(row.numbers[i], cell_));
      text::append(line, std::string(static_cast<std::size_t>(1 + cell_ - text::display_columns(number)), ' '));
      text::append(line, number, {.reverse = i < row.meets.size() && row.meets[i]});
    }
    lines.push_back(std::move(line));
  }

  const std::vector<Row>& rows_;
  std::int64_t width_;
  std::int64_t cell_ = 1;
  std::int64_t label_ = 0;
  bool is_beside_ = true;
  std::size_t in_block_ = 1;
};

}  // namespace

std::vector<text::StyledLine> meeting_lines(const render::Cell& cell, std::span<const std::string> tokens,
                                            const torch::PrintOptions& print, std::int64_t width) {
  const std::vector<Row> rows = Meeting(cell, tokens, print).rows();
  return rows.empty() ? Lines() : Layout(rows, width).lines();
}

}  // namespace attn::present
