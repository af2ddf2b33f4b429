// Notices about given numbers: inputs, token ids, random draws and parameters.

#include "lesson/noticing.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "text/numbers.hpp"

namespace attn::render {

void Noticing::given(const Numbers& numbers) {
  const Tensor& origin = data_of(tensor_);
  const Facts facts = origin.operation().facts();
  if (facts.fan_in > 0) {
    linear_range(numbers, facts.fan_in);
  } else if (facts.kind == Kind::normal) {
    normal(numbers);
  } else if (facts.kind == Kind::uniform) {
    uniform(numbers);
  } else if (facts.is_by_tokens && is_above_diagonal(numbers, 0)) {
    const bool is_rest_one = row_total(numbers.all()) == static_cast<double>(numbers.rows * (numbers.rows + 1)) / 2;
    const bool is_zero = std::ranges::count(numbers.all(), 0.0F) == std::ssize(numbers.all());
    say(is_rest_one ? "entries above the diagonal are 0, the rest are 1"
        : is_zero   ? "all entries are 0"
                    : "entries above the diagonal are 0");
  }
  if (tensor_.dim() == 2 && counts_tokens(tensor_, 0)) {
    token_rows(numbers);
  }
  if (facts.kind == Kind::embedding) {
    say("nn.Embedding starts with random numbers: before training, similar rows do not mean similar words");
  }
}

void Noticing::linear_range(const Numbers& numbers, std::int64_t d_in) {
  const double bound = 1 / std::sqrt(static_cast<double>(d_in));
  const auto all = numbers.all();
  if (std::all_of(all.begin(), all.end(),
                  [bound](float x) { return std::abs(static_cast<double>(x)) <= bound * (1 + 1e-6); })) {
    say("all entries are between -" + text::number_text(bound) + " and " + text::number_text(bound) +
        "; the bound is 1/sqrt(in_features) = 1/sqrt(" + std::to_string(d_in) + ")");
  }
  if (tensor_.dim() == 2) {
    say("[out_features, in_features] = " + shape_text(tensor_.shape()) + ": nn.Linear multiplies by the transpose");
  }
}

void Noticing::uniform(const Numbers& numbers) {
  const auto all = numbers.all();
  const auto [least, most] = std::minmax_element(all.begin(), all.end());
  if (*least >= 0 && *most < 1) {
    say("all entries are in [0, 1), the range of torch.rand: here from " + text::number_text(*least) + " to " +
        text::number_text(*most));
  }
}

void Noticing::normal(const Numbers& numbers) {
  const auto all = numbers.all();
  const auto positive = std::count_if(all.begin(), all.end(), [](float x) { return x > 0; });
  say(count_text(positive, std::ssize(all)) + (positive == 1 ? " entries is" : " entries are") +
      " above 0: torch.randn is symmetric around 0");
}

void Noticing::token_rows(const Numbers& numbers) {
  if (has_words(tensor_, 0) && tokens_.size() <= 16) {
    std::string list;
    for (std::int64_t i = 0; i < numbers.rows; ++i) {
      list += (i == 0 ? "" : ", ") + tokens_[static_cast<std::size_t>(i)];
    }
    say((numbers.rows == 1 ? "one row for one token: " : "one row for each token: ") + list);
    if (tensor_.kind() != Kind::embedding) {
      closest_rows(numbers);
    }
  } else {
    say(counted(numbers.rows, "token", "tokens") + " of " + counted(numbers.width, "number", "numbers") +
        (numbers.rows == 1 ? "" : " each"));
  }
}

void Noticing::closest_rows(const Numbers& numbers) {
  std::vector<float> distances;
  std::vector<std::pair<std::int64_t, std::int64_t>> pairs;
  for (std::int64_t i = 0; i < numbers.rows; ++i) {
    for (std::int64_t j = i + 1; j < numbers.rows; ++j) {
      double square = 0;
      for (std::int64_t k = 0; k < numbers.width; ++k) {
        const auto column = static_cast<std::size_t>(k);
        const double difference =
            static_cast<double>(numbers.row(i)[column]) - static_cast<double>(numbers.row(j)[column]);
        square += difference * difference;
      }
      distances.push_back(-static_cast<float>(square));
      pairs.emplace_back(i, j);
    }
  }
  const auto closest = only_largest(distances);
  if (closest && pairs.size() > 1) {
    const auto [i, j] = pairs[static_cast<std::size_t>(*closest)];
    say("the closest two rows are " + token(i) + " and " + token(j) + ", " +
        text::number_text(std::sqrt(-static_cast<double>(distances[static_cast<std::size_t>(*closest)]))) + " apart");
  }
}

void Noticing::ids() {
  const auto contents = tensor_.array().contents();
  const auto& values = std::get<Block<std::int64_t>>(*contents);
  if (tensor_.dim() != 1 || values.size() != tokens_.size() || tokens_.size() > 16) {
    return;
  }
  std::string list;
  for (std::size_t i = 0; i < tokens_.size(); ++i) {
    list += (i == 0 ? "" : ", ") + tokens_[i] + ": " + std::to_string(values.data()[i]);
  }
  say(list);
  const std::set<std::int64_t> distinct(values.begin(), values.end());
  if (std::ssize(distinct) < std::ssize(values)) {
    say("an id is a place among the sorted words; a repeated word takes several places and keeps the last, so some ids "
        "are unused");
  }
}

}  // namespace attn::render
