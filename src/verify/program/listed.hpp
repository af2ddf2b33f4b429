#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "verify/program/values.hpp"
#include "verify/program/written.hpp"

namespace attn::verify {

/// Computes the values of a program's expressions from the tensors that are printed or given; while the program runs,
/// of tensors the shapes alone.
class Listed {
 public:
  /// Finds a tensor that is given or printed so far, by its variable's name or by its place on the page.
  using Given = std::function<std::optional<Tensor>(std::string_view name)>;
  using Printed = std::function<std::optional<Tensor>(std::size_t position)>;

  /// A program that runs: `given` has the shapes of what it draws.
  explicit Listed(Given given) : given_(std::move(given)) {}
  Listed(std::vector<Written> written, Given given, Printed printed);

  void add(Written written);
  const std::deque<Written>& written() const { return written_; }
  /// The place of the last assignment to the name before `before`, in the scope or else in the program.
  std::optional<std::size_t> assigned(std::string_view name, std::size_t before, std::size_t scope) const;
  /// What follows those characters in the names of variables that begin with them, without further dots.
  std::vector<std::string> names_of(std::string_view beginning) const;
  /// The value of an expression that stands before the place `before`.
  Value value(std::string_view text, std::size_t before, std::size_t scope) const;
  /// Returns the value of an expression at its place; none if it is not known.
  std::optional<Tensor> tensor(std::size_t i) const;
  /// Returns the sizes that an expression such as x.shape has at its place; none if they are not known.
  std::optional<Shape> sizes(std::size_t i) const;
  /// Binds the variable at that place to the tensor printed there, until it is assigned again. Other variables with the
  /// same value are bound too, through calls and returns.
  void bind(std::size_t i, std::size_t position);

 private:
  friend class Reader;

  bool is_running() const { return printed_ == nullptr; }
  Value variable(std::string_view name, std::size_t before, std::size_t scope) const;

  /// An expression and its place.
  struct Here {
    std::string text;
    std::size_t before = 0;
    std::size_t scope = 0;
  };
  /// "results[1]": the second of the returned values.
  std::optional<Here> item_at(const Here& here) const;

  std::deque<Written> written_;
  std::map<std::string, std::vector<std::size_t>, std::less<>> places_;  ///< of the assignments to each name
  Given given_;
  Printed printed_;
  /// The printed tensors, by name and place of assignment.
  std::map<std::pair<std::string, std::optional<std::size_t>>, std::size_t> bindings_;
  mutable std::map<std::size_t, Value> values_;  ///< of assignments, until another tensor is bound
  mutable int depth_ = 0;
};

}  // namespace attn::verify
