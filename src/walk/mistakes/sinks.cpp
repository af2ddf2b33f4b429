#include <cmath>
#include <span>

#include "tensor/operations.hpp"
#include "walk/mistake_rules.hpp"
#include "walk/mistakes/subjects.hpp"

namespace attn {
namespace {

constexpr const char* sink_line = "torch.softmax(torch.cat([attn_scores, sinks], dim=-1), dim=-1)[..., :-1]";

Tensor without_sink(const Tensor& was, const Tensor& is) {
  const bool is_whole = drops_sink(was) && is_made_alike(was.operands()[0], is.operands()[0]) &&
                        is_made_alike(was.operands()[0].operands()[0], is.operands()[0].operands()[0]);
  return is_whole ? softmax(is.operands()[0].operands()[0].operands()[0]) : is;
}

/// The root by which masked scores were divided; 1 if they were not.
std::int64_t root_of(const Tensor& scores) {
  const std::int64_t root = scores.operation().facts().root_of;
  return root > 0 || scores.operands().empty() ? root : root_of(scores.operands()[0]);
}

Tensor scaled_sink(const Tensor& was, const Tensor& is) {
  const std::int64_t root = has_sink(was) ? root_of(was.operands()[0]) : 0;
  return root > 0 ? cat({is.operands()[0], divide(is.operands()[1], std::sqrt(static_cast<double>(root)), "root")})
                  : is;
}

Tensor first_sink(const Tensor& was, const Tensor& is) {
  if (!has_sink(was)) {
    return is;
  }
  const Tensor one = slice(is.operands()[1], 1, 0, 1);
  return cat({is.operands()[0], repeat_interleave(contiguous(one), was.size(1), 1)});
}

Tensor zero_sink(const Tensor& was, const Tensor& is) {
  return has_sink(was) ? cat({is.operands()[0], subtract(is.operands()[1], is.operands()[1])}) : is;
}

constexpr MistakeRow usual_sink_rows[] = {
    {"no-sink", "the sink is left out of softmax: a row of weights sums to 1", sink_line, always<without_sink>},
};

constexpr MistakeRow further_sink_rows[] = {
    {"scaled-sink", "the sinks are divided like the scores, by the square root of head_dim", sink_line,
     always<scaled_sink>},
    {"zero-sink", "the sinks are 0, as if they were not loaded, not learned ones", sink_line, always<zero_sink>},
    {"same-sink", "all heads have the sink of the first", sink_line, always<first_sink>},
};

}  // namespace

std::span<const MistakeRow> sink_mistakes_in() { return usual_sink_rows; }
std::span<const MistakeRow> sink_mistakes() { return further_sink_rows; }

}  // namespace attn
