#pragma once

#include <map>

#include "lesson/cell.hpp"
#include "lesson/told.hpp"

namespace attn::render {

/// Of more terms than this, only the first and the last are shown.
inline constexpr std::size_t most_terms = 24;
inline constexpr std::size_t first_terms = 12;
inline constexpr std::size_t last_terms = 4;

/// The derivation of an element from its tensor's operands; a parameter counts as given, however it was drawn.
Derivation derived(const Tensor& tensor, const Shape& index);

/// The result of a derivation from the operands' elements, in double precision.
double double_value(const Tensor& tensor, const Derivation& derivation);

/// Computes the columns of a telling on demand. The arguments must outlive it.
class Columns {
 public:
  /// `is_exact`: no column is rounded to float32.
  Columns(const Tensor& tensor, const Derivation& derivation, const Telling& telling, bool is_exact)
      : tensor_(tensor), derivation_(derivation), telling_(telling), is_exact_(is_exact) {}

  /// A term's number, or the only number if all terms share it.
  double at(std::string_view name, std::size_t term);

 private:
  using Numbers = std::vector<double>;

  const Numbers& numbers(std::string_view name);
  Numbers given(std::string_view name) const;
  Numbers computed(const Column& column);

  const Tensor& tensor_;
  const Derivation& derivation_;
  const Telling& telling_;
  bool is_exact_;
  std::map<std::string_view, Numbers> known_;
};

/// The description of one element, with its patterns filled in as text. The tensor and the words must outlive it.
class Account {
 public:
  Account(const Tensor& tensor, const Shape& index, const CellWords& words, int precision);
  Account(const Account&) = delete;
  Account& operator=(const Account&) = delete;

  const Derivation& derivation() const { return derivation_; }
  const Telling& telling() const { return telling_; }

  /// Fills in the pattern for a term, or for all terms if none is given. The bias counts as the term after the last.
  std::string filled(std::string_view pattern, std::optional<std::size_t> term = {}) const;
  /// The number of a column, the constant or an operand at a term, as shown.
  double number(std::string_view column, std::size_t term) const;
  std::string number_text(double value) const;
  /// The element's number as text; "True" for an operand's mask.
  std::string element_text(const Element& element) const;
  /// Returns true if the term's numbers matter: false if they are multiplied by 0.
  bool counts(std::size_t term) const;

 private:
  std::string piece(std::string_view key, std::size_t term) const;
  const Tensor& operand(const Element& element) const { return tensor_.operands()[element.operand]; }
  /// The term's element if the name is an operand's, else null.
  const Element* element(std::string_view name, std::size_t term) const;
  /// The axis along which the operand's elements lie.
  std::optional<std::size_t> open_axis(std::string_view name) const;

  const Tensor& tensor_;
  const CellWords& words_;
  int precision_;
  Derivation derivation_;
  Telling telling_;
  mutable Columns columns_;
};

}  // namespace attn::render
