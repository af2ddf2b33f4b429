#include "tensor/tensor.hpp"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <utility>

#include "tensor/operations.hpp"

namespace attn {

struct Tensor::Node {
  std::shared_ptr<const Operation> operation;
  std::vector<Tensor> operands;
  Shape shape;
  DType dtype;
  Kernels kernels;
  bool requires_grad;
  std::string name;
  std::optional<Array> array;
};

std::optional<AxisSource> Operation::axis_source(const std::vector<Tensor>& operands, std::size_t axis) const {
  return AxisSource{operands[0], axis};
}

std::optional<AxisSource> Operation::outer_axis_source(const std::vector<Tensor>& operands, std::size_t axis) {
  return axis + 1 < operands[0].shape().size() ? std::optional(AxisSource{operands[0], axis}) : std::nullopt;
}

Tensor::Tensor(std::shared_ptr<const Operation> operation, std::vector<Tensor> operands, Shape shape, DType dtype)
    : Tensor(std::move(operation), operands, operands.at(0).kernels(), std::move(shape), dtype) {}

Tensor::Tensor(std::shared_ptr<const Operation> operation, Kernels kernels, Shape shape, DType dtype)
    : Tensor(std::move(operation), {}, kernels, std::move(shape), dtype) {}

Tensor::Tensor(std::shared_ptr<const Operation> operation, std::vector<Tensor> operands, Kernels kernels, Shape shape,
               DType dtype)
    : node_(std::make_shared<Node>()) {
  element_count(shape);
  const bool differentiable = dtype == DType::float32 && operation->autograd_name(operands) != "";
  node_->requires_grad = operation->is_trainable() ||
                         (differentiable && std::any_of(operands.begin(), operands.end(),
                                                        [](const Tensor& operand) { return operand.requires_grad(); }));
  node_->operation = std::move(operation);
  node_->operands = std::move(operands);
  node_->shape = std::move(shape);
  node_->dtype = dtype;
  node_->kernels = kernels;
}

const Shape& Tensor::shape() const { return node_->shape; }

std::int64_t Tensor::size(std::int64_t axis) const {
  return shape().at(static_cast<std::size_t>(axis < 0 ? axis + dim() : axis));
}

DType Tensor::dtype() const { return node_->dtype; }

const Kernels& Tensor::kernels() const { return node_->kernels; }

const Array& Tensor::array() const {
  if (!node_->array) {
    node_->array = node_->operation->compute(node_->operands);
  }
  return *node_->array;
}

Tensor Tensor::with_operands(std::vector<Tensor> operands) const {
  return {node_->operation, std::move(operands), shape(), dtype()};
}

const Operation& Tensor::operation() const { return *node_->operation; }

Kind Tensor::kind() const { return operation().facts().kind; }

const std::vector<Tensor>& Tensor::operands() const { return node_->operands; }

bool Tensor::requires_grad() const { return node_->requires_grad; }

std::string Tensor::grad_fn() const {
  const bool has_history = requires_grad() && !operation().is_parameter();
  return has_history ? operation().autograd_name(operands()) : "";
}

const std::string& Tensor::name() const { return node_->name; }

void Tensor::set_name(const std::string& name) const {
  if (node_->name.empty()) {
    node_->name = name;
  }
}

std::string Tensor::expression() const {
  std::vector<std::string> words;
  for (const Tensor& operand : operands()) {
    words.push_back(operand.name().empty() ? operand.expression() : operand.name());
  }
  return operation().words(words);
}

std::vector<std::string> Tensor::inputs() const {
  std::vector<std::string> names;
  const auto add = [&names](const std::string& name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      names.push_back(name);
    }
  };
  for (const Tensor& operand : operands()) {
    if (!operand.name().empty()) {
      add(operand.name());
      continue;
    }
    for (const std::string& name : operand.inputs()) {
      add(name);
    }
  }
  return names;
}

std::int64_t Tensor::bytes(std::unordered_set<const void*>& seen) const {
  if (!seen.insert(node_.get()).second) {
    return 0;
  }
  std::int64_t total = 0;
  if (!operation().is_view() && __builtin_mul_overflow(element_count(shape()), element_size(dtype()), &total)) {
    throw TooLarge("a tensor of shape " + shape_text(shape()) + " has more than 2^63 bytes");
  }
  for (const Tensor& operand : operands()) {
    if (__builtin_add_overflow(total, operand.bytes(seen), &total)) {
      throw TooLarge("the tensors together have more than 2^63 bytes");
    }
  }
  return total;
}

}  // namespace attn
