#include <algorithm>
#include <ostream>

#include "emit/emitters.hpp"
#include "emit/listing.hpp"
#include "tensor/operations.hpp"
#include "tensor/words.hpp"
#include "text/lines.hpp"

namespace attn::emit {
namespace {

class NumpyListing final : public Listing {
 public:
  using Listing::Listing;

 private:
  /// Writes each list only once.
  void prepare() override {
    for (const Tensor& tensor : needed()) {
      if (is_list(tensor) && tensor.name().empty() && uses(tensor) > 1) {
        names().add(tensor, "numbers", "");
      }
    }
  }

  void make(const Tensor& tensor) override { line(names().of(tensor) + " = " + expression(tensor)); }

  std::string expression(const Tensor& tensor) override {
    if (is_list(tensor)) {
      const std::string dtype = tensor.dtype() == DType::boolean ? "bool_" : dtype_name(tensor.dtype());
      return "np.array(" + list_literal(tensor, "np") + ", np." + dtype + ")";
    }
    return tensor.operation().numpy(operand_words(tensor));
  }
  static bool is_list(const Tensor& tensor) {
    return tensor.operands().empty() && tensor.operation().numpy({}).empty();
  }

  void print(const Step& step) override {
    if (step.kind == Step::Kind::text) {
      line("print(" + string_literal(step.name) + ", " + string_literal(step.text) + ", sep=\"\\n\")");
      return;
    }
    const std::string value = reference(*step.tensor);
    const bool is_size = step.kind == Step::Kind::size;
    const std::string shown = is_size ? grouped(value) + ".shape" : value;
    line("print(" + string_literal(is_size ? step.name + ".shape" : value) + ", " + shown + ", sep=\"\\n\")");
  }
};

constexpr std::string_view softmax = R"(

def softmax(x, axis):
    exps = np.exp(x - x.max(axis=axis, keepdims=True))
    return exps / exps.sum(axis=axis, keepdims=True)

)";

}  // namespace

void write_numpy(std::ostream& out, const Request& request) {
  std::vector<std::string> bodies;
  bool has_softmax = false;
  for (const Chapter& chapter : request.chapters) {
    NumpyListing listing(chapter);
    bodies.push_back(text::joined(listing.parts(), ""));
    has_softmax = has_softmax || std::ranges::count(listing.needed(), Kind::softmax, &Tensor::kind) > 0;
  }
  out << head_text(
             request,
             "Computes in float32 the tensors that attn-walkthrough prints. Random draws are included as numbers.\n"
             "Last digits of other numbers may differ, because numpy sums in another order than PyTorch.")
      << (request.checkpoint.empty() ? "" : "import json\n\n") << "import numpy as np\n"
      << (request.checkpoint.empty()
              ? ""
              : "\n" + weights_class(request.checkpoint, "values.astype(np.float32).reshape(entry[\"shape\"])"))
      << (has_softmax ? softmax : "\n") << chapters_text(bodies, request.chapters);
}

}  // namespace attn::emit
