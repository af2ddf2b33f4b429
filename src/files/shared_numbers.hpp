#pragma once

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <utility>
#include <vector>

namespace attn::dump {

/// Numbers that do not change and that copies share: one in memory, however many results speak of them.
class SharedNumbers {
 public:
  SharedNumbers() : SharedNumbers(std::vector<double>()) {}
  // NOLINTNEXTLINE(google-explicit-constructor): they are these numbers
  SharedNumbers(std::vector<double> numbers)
      : numbers_(std::make_shared<const std::vector<double>>(std::move(numbers))) {}

  SharedNumbers(std::initializer_list<double> numbers) : SharedNumbers(std::vector<double>(numbers)) {}

  // NOLINTNEXTLINE(google-explicit-constructor): they are these numbers
  operator const std::vector<double>&() const { return *numbers_; }
  std::size_t size() const { return numbers_->size(); }
  bool empty() const { return numbers_->empty(); }
  const double* data() const { return numbers_->data(); }
  auto begin() const { return numbers_->begin(); }
  auto end() const { return numbers_->end(); }
  double operator[](std::size_t i) const { return (*numbers_)[i]; }
  bool operator==(const SharedNumbers& other) const {
    return numbers_ == other.numbers_ || *numbers_ == *other.numbers_;
  }
  bool operator==(const std::vector<double>& other) const { return *numbers_ == other; }

 private:
  std::shared_ptr<const std::vector<double>> numbers_;
};

}  // namespace attn::dump
