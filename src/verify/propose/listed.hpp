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
  /// The variable that is written there stands for what is printed at that place, until it is assigned to again.
  void bind(std::size_t i, std::size_t position);

 private:
  friend class Reader;

  Value value(std::string_view text, std::size_t before) const;
  Value variable(std::string_view name, std::size_t before) const;
  /// The last place before `before` that assigns to the name.
  std::optional<std::size_t> assigned(std::string_view name, std::size_t before) const;

  std::vector<Written> written_;
  Given given_;
  Printed printed_;
  struct Binding {
    std::optional<std::size_t> assigned;  ///< by what is written there
    std::size_t position = 0;
  };
  std::map<std::string, Binding, std::less<>> bindings_;
  mutable std::map<std::size_t, Value> values_;  ///< of what is assigned, until more is bound
  mutable int depth_ = 0;
};

}  // namespace attn::verify
