#include <algorithm>

#include "tensor/operations.hpp"
#include "verify/port/report.hpp"

namespace attn::verify {
namespace {

/// A reason why mistakes change no number, and a test for it.
struct Reason {
  bool (*holds)(const Tensor& tensor);
  const char* sentence;
};

/// Returns true for a norm's factor 1 / sqrt(x + eps) that is nearly the same without eps.
bool is_far_above_epsilon(const Tensor& tensor) {
  const bool is_raised = tensor.kind() == Kind::inverse_root && tensor.operands()[0].kind() == Kind::raised;
  if (tensor.kind() != Kind::inverse_deviation && !is_raised) {
    return false;
  }
  constexpr double unseen = 1e-5;
  const double epsilon = (is_raised ? tensor.operands()[0] : tensor).operation().facts().value;
  const auto contents = tensor.array().contents();
  return std::ranges::all_of(std::get<Block<float>>(*contents), [epsilon](float factor) {
    const auto inverse = static_cast<double>(factor);
    return epsilon * inverse * inverse / 2 < unseen;
  });
}

constexpr Reason reasons[] = {
    {[](const Tensor& tensor) { return tensor.operation().facts().root_of == 1; },
     "head_dim is 1: scaling cannot be seen"},
    {[](const Tensor& tensor) { return tensor.kind() == Kind::stack && tensor.dim() == 3 && tensor.size(0) > 1; },
     "the entries of the batch are alike: mixing them up cannot be seen"},
    {[](const Tensor& tensor) { return tensor.kind() == Kind::stack && tensor.dim() == 3 && tensor.size(0) == 1; },
     "the batch has one entry: mixing entries up cannot be seen"},
    {[](const Tensor& tensor) { return tensor.kind() == Kind::softmax && tensor.dim() == 4 && tensor.size(1) == 1; },
     "there is one head: how heads are split and joined cannot be seen"},
    {[](const Tensor& tensor) { return tensor.kind() == Kind::softmax && tensor.dim() >= 2 && tensor.size(-1) == 1; },
     "there is one token: scores, masks and weights cannot be seen"},
    {is_far_above_epsilon, "eps is far smaller than what it is added to: leaving it out cannot be seen"},
    {[](const Tensor& tensor) { return tensor.kind() == Kind::dropout && tensor.operation().facts().p == 0; },
     "dropout is 0: what is dropped, and how the rest is scaled, cannot be seen"},
};

}  // namespace

std::vector<std::string> unseen_in(std::span<const Step> steps) {
  std::vector<std::string> sentences;
  for (const Reason& reason : reasons) {
    if (std::ranges::any_of(steps, [&](const Step& step) { return step.tensor && reason.holds(*step.tensor); })) {
      sentences.emplace_back(reason.sentence);
    }
  }
  return sentences;
}

}  // namespace attn::verify
