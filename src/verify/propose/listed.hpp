#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "verify/propose/values.hpp"
#include "verify/read/written.hpp"

namespace attn::verify {

/// The tensors that a listing's expressions stand for, made of those that are printed or given.
class Listed {
 public:
  /// A tensor that is given or printed so far, by the name of a variable or by its place on the page.
  using Given = std::function<std::optional<Tensor>(std::string_view name)>;
  using Printed = std::function<std::optional<Tensor>(std::size_t position)>;

  Listed(std::vector<Written> written, Given given, Printed printed)
      : written_(std::move(written)), given_(std::move(given)), printed_(std::move(printed)) {}

  std::span<const Written> written() const { return written_; }
  /// What an expression stands for where it is written; none where it cannot be told.
  std::optional<Tensor> tensor(std::size_t i) const;
  /// The variable that is written there stands for what is printed at that place, until it is assigned to again; so
  /// does whatever else has its value, through calls and what they return.
  void bind(std::size_t i, std::size_t position);

 private:
  friend class Reader;

  Value value(std::string_view text, std::size_t before, std::size_t scope) const;
  Value variable(std::string_view name, std::size_t before, std::size_t scope) const;
  /// The last place before `before` that assigns to the name, in the scope or else in the program's.
  std::optional<std::size_t> assigned(std::string_view name, std::size_t before, std::size_t scope) const;

  /// An expression where it stands.
  struct Here {
    std::string text;
    std::size_t before = 0;
    std::size_t scope = 0;
  };
  /// Of "results[1]" the second that was returned.
  std::optional<Here> item_at(const Here& here) const;

  std::vector<Written> written_;
  Given given_;
  Printed printed_;
  /// What is printed, by the name and the place that assigned to it.
  std::map<std::pair<std::string, std::optional<std::size_t>>, std::size_t> bindings_;
  mutable std::map<std::size_t, Value> values_;  ///< of what is assigned, until more is bound
  mutable int depth_ = 0;
};

}  // namespace attn::verify
