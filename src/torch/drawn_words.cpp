#include "torch/drawn_words.hpp"

#include <algorithm>
#include <set>
#include <variant>

#include "tensor/operations.hpp"

namespace attn::torch {
namespace {

constexpr std::uint64_t normals_of_a_block = 16;

}  // namespace

std::string_view part_name(Part part) {
  switch (part) {
    case Part::u: return "u";
    case Part::u_high: return "u high";
    case Part::u_low: return "u low";
    case Part::u1: return "u1";
    case Part::u2: return "u2";
    case Part::u1_high: return "u1 high";
    case Part::u1_low: return "u1 low";
    case Part::u2_high: return "u2 high";
    case Part::u2_low: return "u2 low";
    case Part::stream_seed: break;
  }
  return "seed";
}

DrawnWords::DrawnWords(const Draw& draw, DropoutKernel dropout_kernel)
    : kind_(draw.leaf.kind()),
      is_embedding_(kind_ == Kind::embedding),
      dropout_kernel_(dropout_kernel),
      count_(draw.count),
      size_(static_cast<std::uint64_t>(element_count(draw.leaf.shape()))) {
  if (is_embedding_) {
    width_ = static_cast<std::uint64_t>(draw.leaf.size(1));
    size_ = static_cast<std::uint64_t>(draw.leaf.operation().facts().rows) * width_;
  }
  left_over_ = is_small() && draw.left_over ? 1 : 0;
  if (!is_embedding_) {
    return;
  }
  const auto contents = draw.ids.value().array().contents();
  std::set<std::uint64_t> kept;
  std::uint64_t place = 0;
  for (const std::int64_t id : std::get<Block<std::int64_t>>(*contents)) {
    const auto row = static_cast<std::uint64_t>(id);
    rows_.emplace(row, place++);
    for (std::uint64_t column = 0; column < width_; ++column) {
      const std::vector<std::uint64_t> words = words_of(row * width_ + column);
      kept.insert(words.begin(), words.end());
    }
  }
  kept_.assign(kept.begin(), kept.end());
}

bool DrawnWords::is_small() const {
  return (kind_ == Kind::normal || kind_ == Kind::embedding) && size_ < normals_of_a_block;
}

bool DrawnWords::is_drawn_again(std::uint64_t element) const {
  return size_ % normals_of_a_block != 0 && element >= size_ - normals_of_a_block;
}

std::vector<std::uint64_t> DrawnWords::words_of(std::uint64_t element) const {
  if (kind_ == Kind::uniform) {
    return {element};
  }
  if (kind_ == Kind::bernoulli) {
    return dropout_kernel_ == DropoutKernel::mkl ? std::vector<std::uint64_t>{0}
                                                 : std::vector{2 * element, 2 * element + 1};
  }
  if (is_small()) {
    const std::uint64_t first = element < left_over_ ? 0 : (element - left_over_) / 2 * 4;
    return element < left_over_ ? std::vector<std::uint64_t>{} : std::vector{first, first + 1, first + 2, first + 3};
  }
  const bool is_again = is_drawn_again(element);
  const std::uint64_t start = is_again ? size_ - normals_of_a_block : element / normals_of_a_block * normals_of_a_block;
  const std::uint64_t first = (is_again ? size_ : start) + (element - start) % (normals_of_a_block / 2);
  return {first, first + normals_of_a_block / 2};
}

std::vector<std::uint64_t> DrawnWords::elements_of(std::uint64_t word) const {
  if (kind_ == Kind::uniform) {
    return {word};
  }
  if (kind_ == Kind::bernoulli) {
    return {word / 2};
  }
  std::vector<std::uint64_t> elements;
  const auto add = [&](std::uint64_t element) {
    const std::vector<std::uint64_t> words = element < size_ ? words_of(element) : std::vector<std::uint64_t>{};
    if (std::ranges::find(words, word) != words.end()) {
      elements.push_back(element);
    }
  };
  if (is_small()) {
    add(word / 4 * 2 + left_over_);
    add(word / 4 * 2 + left_over_ + 1);
    return elements;
  }
  const std::uint64_t start =
      word < size_ ? word / normals_of_a_block * normals_of_a_block : size_ - normals_of_a_block;
  const std::uint64_t first = start + (word < size_ ? word : word - size_) % (normals_of_a_block / 2);
  add(first);
  add(first + normals_of_a_block / 2);
  return elements;
}

void DrawnWords::for_each_word(const std::function<void(std::uint64_t)>& visit) const {
  if (is_embedding_) {
    std::ranges::for_each(kept_, visit);
    return;
  }
  for (std::uint64_t word = 0; word < count_; ++word) {
    visit(word);
  }
}

Part DrawnWords::part_of(std::uint64_t word) const {
  if (kind_ == Kind::uniform) {
    return Part::u;
  }
  if (kind_ == Kind::bernoulli) {
    return dropout_kernel_ == DropoutKernel::mkl ? Part::stream_seed : word % 2 == 0 ? Part::u_high : Part::u_low;
  }
  if (is_small()) {
    constexpr Part parts[] = {Part::u1_high, Part::u1_low, Part::u2_high, Part::u2_low};
    return parts[word % 4];
  }
  const std::uint64_t in_block = (word < size_ ? word : word - size_) % normals_of_a_block;
  return in_block < normals_of_a_block / 2 ? Part::u1 : Part::u2;
}

void DrawnWords::for_each_element(std::uint64_t word, const std::function<void(std::uint64_t)>& visit) const {
  if (part_of(word) == Part::stream_seed) {
    for (std::uint64_t element = 0; element < size_; ++element) {
      visit(element);
    }
    return;
  }
  for (const std::uint64_t element : elements_of(word)) {
    if (!is_embedding_) {
      visit(element);
      continue;
    }
    const auto [begin, end] = rows_.equal_range(element / width_);
    for (auto row = begin; row != end; ++row) {
      visit(row->second * width_ + element % width_);
    }
  }
}

bool DrawnWords::is_left_over(std::uint64_t word) const { return leaves_over() && word + 4 >= count_; }

}  // namespace attn::torch
