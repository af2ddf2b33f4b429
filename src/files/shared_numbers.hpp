#pragma once

#include <cstddef>
#include <functional>
#include <initializer_list>
#include <memory>
#include <utility>
#include <vector>

namespace attn::files {

/// Numbers that do not change and that copies share: one in memory, however many results speak of them. They may be
/// read when they are first asked for.
class SharedNumbers {
 public:
  using Read = std::function<SharedNumbers()>;

  SharedNumbers() : SharedNumbers(std::vector<double>()) {}
  // NOLINTNEXTLINE(google-explicit-constructor): they are these numbers
  SharedNumbers(std::vector<double> numbers)
      : stored_(std::make_shared<Stored>(Stored{std::make_shared<const std::vector<double>>(std::move(numbers)), {}})) {
  }
  SharedNumbers(std::initializer_list<double> numbers) : SharedNumbers(std::vector<double>(numbers)) {}
  /// Numbers that are not in memory until they are asked for.
  explicit SharedNumbers(Read read) : stored_(std::make_shared<Stored>(Stored{nullptr, std::move(read)})) {}

  // NOLINTNEXTLINE(google-explicit-constructor): they are these numbers
  operator const std::vector<double>&() const { return numbers(); }
  std::size_t size() const { return numbers().size(); }
  bool empty() const { return numbers().empty(); }
  const double* data() const { return numbers().data(); }
  auto begin() const { return numbers().begin(); }
  auto end() const { return numbers().end(); }
  double operator[](std::size_t i) const { return numbers()[i]; }
  bool operator==(const SharedNumbers& other) const { return stored_ == other.stored_ || numbers() == other.numbers(); }
  bool operator==(const std::vector<double>& other) const { return numbers() == other; }

 private:
  struct Stored {
    std::shared_ptr<const std::vector<double>> numbers;
    Read read;
  };

  const std::vector<double>& numbers() const {
    if (stored_->numbers == nullptr) {
      stored_->numbers = stored_->read().stored_->numbers;
    }
    return *stored_->numbers;
  }

  std::shared_ptr<Stored> stored_;
};

}  // namespace attn::files
