#include "verify/judge/unseen.hpp"

#include <algorithm>

#include "tensor/operations.hpp"

namespace attn::port {
namespace {

/// A reason why mistakes change no number, and a test for it.
struct Reason {
  bool (*holds)(const Tensor& tensor);
  const char* sentence;
};

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

}  // namespace attn::port
