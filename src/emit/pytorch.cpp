#include <algorithm>
#include <ostream>

#include "emit/emitters.hpp"
#include "emit/listing.hpp"
#include "tensor/operations.hpp"
#include "tensor/words.hpp"
#include "text/lines.hpp"

namespace attn::emit {
namespace {

using torch::Draw;

class PyTorchListing final : public Listing {
 public:
  PyTorchListing(const Chapter& chapter, bool show_grad)
      : Listing(chapter), show_grad_(show_grad), draws_(chapter.walk.draws()) {
    for (std::size_t i = 0; i < draws_.draws.size(); ++i) {
      places_.emplace(draws_.draws[i].leaf.id(), i);
    }
  }

 private:
  // ---- What is drawn ------------------------------------------------------------------------------

  /// The draw of the tensor's numbers, or of its parameter's data; null if they are not drawn.
  const Draw* draw_of(const Tensor& tensor) const {
    const auto found = places_.find(data_of(tensor).id());
    return found == places_.end() ? nullptr : &draws_.draws[found->second];
  }
  /// The draw of a mask that nn.Dropout repeats; null for the masks of another dropout kernel, which are literals.
  const Draw* drawn_dropout(const Tensor& tensor) const {
    const bool draws = tensor.kind() == Kind::dropout && draws_.dropout_kernel == DropoutKernel::standard;
    return draws ? draw_of(tensor.operands()[1]) : nullptr;
  }
  bool is_module(const Draw& draw) const { return !draw.module.empty(); }
  static bool is_bias(const Draw& draw) { return draw.leaf.dim() == 1; }
  /// The tensor whose variable holds the module: the weight, or the bias if only that is needed. The bias is drawn
  /// directly after the weight.
  const std::optional<Tensor>& holder(const Draw& draw) const {
    const std::size_t weight = is_bias(draw) ? place(draw) - 1 : place(draw);
    return owners_[weight] || !has_bias(weight) ? owners_[weight] : owners_[weight + 1];
  }
  bool has_bias(std::size_t weight) const {
    const std::size_t next = weight + 1;
    return next < draws_.draws.size() && is_module(draws_.draws[next]) && is_bias(draws_.draws[next]);
  }

  std::vector<Tensor> made_of(const Tensor& tensor) const override {
    if (drawn_dropout(tensor) != nullptr) {
      return {tensor.operands()[0]};
    }
    const Draw* const draw = draw_of(tensor);
    return draw != nullptr && draw->ids ? std::vector<Tensor>{*draw->ids} : tensor.operands();
  }

  /// A variable that holds a module has the article's name for it.
  std::string name_of(const Step& step) const override {
    const Draw* const draw = draw_of(*step.tensor);
    return draw != nullptr && is_module(*draw) && holder(*draw)->id() == step.tensor->id() ? draw->module : step.name;
  }

  /// Finds the tensor that uses each draw, and the draws that the program needs: the used ones, and those before them
  /// since seeding.
  void prepare() override {
    owners_.resize(draws_.draws.size());
    for (const Tensor& tensor : needed()) {
      const Draw* const draw = drawn_dropout(tensor) != nullptr ? drawn_dropout(tensor) : draw_of(tensor);
      if (draw != nullptr) {
        std::optional<Tensor>& owner = owners_[place(*draw)];
        owner = owner && owner->kind() == Kind::dropout ? owner : tensor;
      }
    }
    is_made_.resize(owners_.size());
    for (std::size_t i = owners_.size(); i-- > 0;) {
      const bool is_before_one =
          i + 1 < owners_.size() && is_made_[i + 1] && draws_.draws[i + 1].seeding == draws_.draws[i].seeding;
      is_made_[i] = owners_[i] || is_before_one;
    }
    // Draws need a variable: a call repeated in an expression would draw other numbers.
    for (const std::optional<Tensor>& owner : owners_) {
      if (owner && owner->name().empty() && owner->kind() != Kind::parameter) {
        names().add(*owner, owner->kind() == Kind::dropout ? "dropped" : "drawn", "");
      }
    }
  }
  std::size_t place(const Draw& draw) const { return static_cast<std::size_t>(&draw - draws_.draws.data()); }

  void draw_up_to(const Draw& last) {
    while (next_ <= place(last)) {
      const std::size_t i = next_++;
      const Draw& draw = draws_.draws[i];
      const bool is_made_with_weight = is_module(draw) && is_bias(draw);
      if (is_made_[i] && !is_made_with_weight) {
        write_draw(draw, is_module(draw) ? holder(draw) : owners_[i]);
      }
    }
  }
  void write_draw(const Draw& draw, const std::optional<Tensor>& owner) {
    const bool is_dropout = owner && owner->kind() == Kind::dropout;
    const std::string x = is_dropout ? reference(owner->operands()[0]) : "";
    const std::string call = is_dropout ? owner->operation().pytorch({x, ""}) : drawing_call(draw);
    if (seeding_ != draw.seeding) {
      seeding_ = draw.seeding;
      line("torch.manual_seed(" + draws_.seeds[seeding_].text() + ")");
    }
    if (draw.leaf.kind() == Kind::bernoulli && draws_.dropout_kernel == DropoutKernel::mkl) {
      line("torch.rand(1)  # advances the generator as the other dropout kernel does");
      return;
    }
    if (is_dropout && is_needed(draw.leaf)) {
      line("with torch.random.fork_rng(devices=[]):  # nn.Dropout will draw the same");
      line("    " + names().of(draw.leaf) + " = " + drawing_call(draw));
    }
    line((owner && names().has(*owner) ? names().of(*owner) + " = " : "") + call);
  }

  /// The drawing call: "torch.rand(6, 3)".
  std::string drawing_call(const Draw& draw) {
    const Facts facts = draw.leaf.operation().facts();
    if (is_module(draw)) {
      const std::string rows = std::to_string(draw.leaf.size(0));
      const std::string columns = std::to_string(draw.leaf.size(1));
      const std::string bias = has_bias(place(draw)) ? "" : ", bias=False";
      const bool is_table = facts.kind == Kind::normal;
      return (is_table ? "nn.Embedding(" + rows + ", " + columns : "nn.Linear(" + columns + ", " + rows + bias) + ")" +
             (show_grad_ ? "" : ".requires_grad_(False)");
    }
    if (facts.kind == Kind::embedding) {
      return "nn.Embedding(" + std::to_string(facts.rows) + ", " + std::to_string(draw.leaf.size(1)) + ")(" +
             reference(*draw.ids) + ").detach()";
    }
    if (facts.kind == Kind::bernoulli) {
      return "torch.empty(" + sizes_text(draw.leaf.shape()) + ").bernoulli_(" + python_repr(facts.p) + ").bool()";
    }
    const std::optional<Tensor>& owner = owners_[place(draw)];
    const std::string words = draw.leaf.operation().words({});
    return owner && owner->kind() == Kind::parameter ? parameter(*owner, words) : words;
  }

  // ---- What is made of it -------------------------------------------------------------------------

  void make(const Tensor& tensor) override {
    const Draw* const dropped = drawn_dropout(tensor);
    const Draw* const draw = dropped != nullptr ? dropped : draw_of(tensor);
    const bool is_listed = tensor.kind() == Kind::bernoulli && draws_.dropout_kernel == DropoutKernel::mkl;
    if (draw != nullptr) {
      draw_up_to(*draw);
    }
    if (show_grad_ && has_grad_ && tensor.is_without_grad()) {
      has_grad_ = false;
      line("torch.set_grad_enabled(False)");
    }
    if (draw == nullptr || is_listed) {
      line(names().of(tensor) + " = " + expression(tensor));
    }
  }

  std::string reference(const Tensor& tensor) override {
    const Draw* const draw = tensor.kind() == Kind::parameter ? draw_of(tensor) : nullptr;
    if (draw == nullptr || !is_module(*draw)) {
      return Listing::reference(tensor);
    }
    draw_up_to(*draw);
    return module_of(*draw) + (is_bias(*draw) ? ".bias" : ".weight");
  }
  const std::string& module_of(const Draw& draw) { return names().of(*holder(draw)); }

  std::string expression(const Tensor& tensor) override {
    switch (tensor.kind()) {
      case Kind::given: return given(tensor);
      case Kind::bernoulli: return mask(tensor);
      case Kind::parameter: return parameter(tensor, reference(tensor.operands()[0]));
      default: break;
    }
    const std::vector<std::string> operands = operand_words(tensor);
    if (tensor.kind() == Kind::linear || tensor.kind() == Kind::looked_up) {
      const std::size_t weight = tensor.kind() == Kind::linear ? 1 : 0;
      const Draw* const draw = draw_of(tensor.operands()[weight]);
      if (draw != nullptr && is_module(*draw)) {
        return module_of(*draw) + "(" + operands[1 - weight] + ")";
      }
    }
    if (tensor.kind() == Kind::dropout && draw_of(tensor.operands()[1]) != nullptr) {
      const std::string p = python_repr(tensor.operation().facts().p);
      return grouped(operands[0]) + " * (" + operands[1] + " / (1 - " + p + "))";
    }
    return tensor.operation().pytorch(operands);
  }

  std::string parameter(const Tensor& tensor, const std::string& data) const {
    const bool is_trainable = show_grad_ && tensor.operation().is_trainable();
    return "nn.Parameter(" + data + (is_trainable ? ")" : ", requires_grad=False)");
  }
  static std::string given(const Tensor& tensor) {
    const bool has_formula = !tensor.operation().numpy({}).empty();
    return has_formula ? tensor.operation().pytorch({}) : "torch.tensor(" + list_literal(tensor, "torch") + ")";
  }
  /// A mask that needs no draw, or that another dropout kernel draws.
  std::string mask(const Tensor& tensor) const {
    if (draw_of(tensor) != nullptr) {
      return given(tensor);
    }
    const bool keeps_all = tensor.operation().facts().p == 1;
    return std::string(keeps_all ? "torch.ones(" : "torch.zeros(") + sizes_text(tensor.shape()) + ", dtype=torch.bool)";
  }

  void finish() override {
    if (!has_grad_) {
      line("torch.set_grad_enabled(True)");
    }
  }

  void print(const Step& step) override {
    std::string call = "print(" + (step.label.empty() ? "" : string_literal(step.label) + ", ");
    switch (step.kind) {
      case Step::Kind::tensor: call += reference(*step.tensor); break;
      case Step::Kind::size: call += grouped(reference(*step.tensor)) + ".shape"; break;
      case Step::Kind::text: call += string_literal(step.text); break;
    }
    line(call + (step.end == "\n" ? "" : ", end=" + string_literal(step.end)) + ")");
  }

  bool show_grad_;
  bool has_grad_ = true;  ///< until the first tensor that is computed without
  const torch::Draws& draws_;
  std::map<const void*, std::size_t> places_;  ///< the index of each draw, by its leaf
  std::vector<std::optional<Tensor>> owners_;  ///< for each draw, the tensor that uses its numbers
  std::vector<bool> is_made_;
  std::size_t next_ = 0;  ///< the next draw to write
  std::size_t seeding_ = 0;
};

// ---- The head -------------------------------------------------------------------------------------

std::string set_printoptions(const torch::PrintOptions& print) {
  const torch::PrintOptions usual;
  std::vector<std::string> settings;
  const auto set = [&settings](const std::string& name, std::int64_t value, std::int64_t standard) {
    if (value != standard) {
      settings.push_back(name + "=" + std::to_string(value));
    }
  };
  set("precision", print.precision, usual.precision);
  set("threshold", print.threshold, usual.threshold);
  set("edgeitems", print.edgeitems, usual.edgeitems);
  set("linewidth", print.linewidth, usual.linewidth);
  if (print.sci_mode != torch::SciMode::automatic) {
    settings.push_back(print.sci_mode == torch::SciMode::on ? "sci_mode=True" : "sci_mode=False");
  }
  return settings.empty() ? "" : "torch.set_printoptions(" + text::joined(settings) + ")\n";
}

/// The environment variables that select the kernels of PyTorch and OpenBLAS.
std::string environment(const Kernels& kernels) {
  const std::string_view cpu = kernels.cpu == Cpu::avx2 ? "avx2" : kernels.cpu == Cpu::avx512 ? "avx512" : "default";
  std::string settings = "ATEN_CPU_CAPABILITY=\"" + std::string(cpu) + "\"";
  const std::string_view core = bits_of(kernels.blas) == Blas::skylakex ? "skylakex" : "haswell";
  return settings + ", OPENBLAS_CORETYPE=\"" + std::string(core) + "\", OPENBLAS_NUM_THREADS=\"1\"";
}

bool is_softmax_over_another_axis(const Tensor& tensor) {
  return tensor.kind() == Kind::softmax && tensor.operation().facts().axis >= 0;
}

/// A program in parts: the head, and one part per chapter.
struct Program {
  std::string head;
  std::vector<std::vector<std::string>> chapters;
};

Program program_of(const Request& request) {
  Program program;
  bool needs_one_thread = false;
  for (const Chapter& chapter : request.chapters) {
    PyTorchListing listing(chapter, request.show_grad);
    program.chapters.push_back(listing.parts());
    const std::vector<Tensor>& made = listing.needed();
    needs_one_thread = needs_one_thread || std::any_of(made.begin(), made.end(), is_softmax_over_another_axis);
  }
  const std::string settings = (needs_one_thread ? "torch.set_num_threads(1)\n" : "") + set_printoptions(request.print);
  const bool has_weights = !request.checkpoint.empty();
  program.head =
      std::string(has_weights ? "import json\n" : "") +
      "import os\n\n"
      "# Last digits depend on the kernels, which are chosen when torch is loaded.\n"
      "os.environ.update(" +
      environment(request.chapters[0].walk.draws().kernels) + ")\n\n" + (has_weights ? "import numpy as np\n" : "") +
      "import torch\nfrom torch import nn\n" + (settings.empty() ? "" : "\n") + settings +
      weights_class(request.checkpoint, "torch.from_numpy(values.astype(np.float32)).reshape(entry[\"shape\"])");
  return program;
}

}  // namespace

void write_pytorch(std::ostream& out, const Request& request) {
  const Program program = program_of(request);
  std::vector<std::string> bodies;
  for (const std::vector<std::string>& parts : program.chapters) {
    bodies.push_back(text::joined(parts, ""));
  }
  out << head_text(request, "Prints what attn-walkthrough prints.") << program.head << "\n"
      << chapters_text(bodies, request.chapters);
}

void write_notebook(std::ostream& out, const Request& request) {
  const Program program = program_of(request);
  Notebook notebook;
  const Chapter& first = request.chapters[0];
  notebook.add_text("# " + (request.chapters.size() > 1 ? first.article : first.title + "\n\nAs in: " + first.article));
  notebook.add_code(program.head, "");
  for (std::size_t i = 0; i < program.chapters.size(); ++i) {
    const Chapter& chapter = request.chapters[i];
    if (program.chapters.size() > 1) {
      notebook.add_text("## " + chapter.title);
    }
    for (std::size_t part = 0; part < program.chapters[i].size(); ++part) {
      notebook.add_code(program.chapters[i][part], part < chapter.printed.size() ? chapter.printed[part] : "");
    }
  }
  notebook.write(out);
}

}  // namespace attn::emit
