#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "tensor/array.hpp"
#include "tensor/derivation.hpp"
#include "tensor/kernels.hpp"
#include "tensor/part.hpp"

namespace attn {

class Tensor;

/// What made a tensor: its kind, and its kind's facts. See operations.hpp.
enum class Kind;
struct Facts;

/// An axis of a tensor.
struct AxisSource;

/// What made a tensor: everything that anybody asks of one kind of operation, side by side.
class Operation {
 public:
  Operation() = default;
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;
  virtual ~Operation() = default;

  /// What a part of the result is computed from, so that its bits are those that it has in the whole: a part of each
  /// operand that is needed, the first ones. Widens `part` to one that can be had by itself. Unless said otherwise, all
  /// of the result from all of the operands.
  virtual std::optional<std::vector<Need>> needs(const std::vector<Tensor>& operands, Box& part) const;
  /// The numbers of a part, in PyTorch's order of arithmetic. The operands are what the part needs of them.
  virtual Array compute(const std::vector<Tensor>& operands, const Box& part) const = 0;
  /// How one element of the result came from elements of the operands. `index` has an entry for each axis.
  virtual Derivation derive(const std::vector<Tensor>& operands, const Shape& index) const = 0;
  /// What it is.
  virtual Facts facts() const = 0;
  /// Which axis of which operand goes on as this axis of the result, entry by entry; none where it is new. Unless said
  /// otherwise, the first operand's axes go on as they are.
  virtual std::optional<AxisSource> axis_source(const std::vector<Tensor>& operands, std::size_t axis) const;
  /// PyTorch's words for it, given those of the operands: "queries @ keys.T".
  virtual std::string words(const std::vector<std::string>& operands) const = 0;
  /// The expression of a PyTorch program that computes it. Unless said otherwise, the words.
  virtual std::string pytorch(const std::vector<std::string>& operands) const { return words(operands); }
  /// The expression of a numpy program that computes it in float32. `softmax(x, axis)` is a function of the program's.
  /// Unless said otherwise, the words; empty for a leaf whose numbers have to be listed.
  virtual std::string numpy(const std::vector<std::string>& operands) const { return words(operands); }
  /// The name that PyTorch 2.x prints as grad_fn; empty where the operation has no gradient.
  virtual std::string autograd_name(const std::vector<Tensor>& operands) const = 0;
  /// Whether the result shares the numbers of its first operand.
  virtual bool is_view() const { return false; }
  /// Whether this is an nn.Parameter.
  virtual bool is_parameter() const { return false; }
  /// Whether it requires a gradient whatever its operands do: an nn.Parameter, unless it says otherwise.
  virtual bool is_trainable() const { return false; }

 protected:
  /// For axis_source, where all axes of the first operand but its last one go on.
  static std::optional<AxisSource> outer_axis_source(const std::vector<Tensor>& operands, std::size_t axis);
};

/// A value (shape, dtype, numbers) and the operation and operands that made it. Cheap to copy. The
/// numbers are computed when first asked for, and kept.
class Tensor {
 public:
  /// Computed with the kernels of its first operand.
  Tensor(std::shared_ptr<const Operation> operation, std::vector<Tensor> operands, Shape shape,
         DType dtype = DType::float32);
  /// A leaf: what is computed from it uses these kernels.
  Tensor(std::shared_ptr<const Operation> operation, Kernels kernels, Shape shape, DType dtype);

  const Shape& shape() const;
  std::int64_t dim() const { return static_cast<std::int64_t>(shape().size()); }
  /// The size of an axis; negative axes count from the end. Throws std::out_of_range.
  std::int64_t size(std::int64_t axis) const;
  DType dtype() const;
  const Kernels& kernels() const;

  /// What the same operation makes of others: operands of the same shapes. It has no name yet.
  Tensor with_operands(std::vector<Tensor> operands) const;

  /// All numbers.
  const Array& array() const;
  /// Those of a part. Of a tensor that is made from large ones they are computed, and not kept.
  Array part(const Box& box) const;
  /// Computes all numbers, or where parts are enough, what every part needs.
  void prepare() const;
  /// All numbers in order, some rows at a time; of a tensor that is made from large ones they are not kept.
  void each_part(const std::function<void(const Array& rows)>& use) const;
  /// One element; True is 1. What was computed with it is kept until the next call for another one.
  double value(const Shape& index) const;
  /// The numbers, to be changed: a copy, unless it is a part that nobody else will ask for.
  Block<float> own_floats() const;
  /// Whether its numbers are there, or nothing that it is made from is large.
  bool is_at_hand() const;
  const Operation& operation() const;
  Kind kind() const;
  const std::vector<Tensor>& operands() const;
  /// The same for all copies of a tensor, different for every other one.
  const void* id() const { return node_.get(); }

  bool requires_grad() const;
  /// The text behind grad_fn=, as PyTorch 2.x spells it; empty for leaves and where there is no gradient.
  std::string grad_fn() const;

  /// The article's variable; empty while it has none. A tensor keeps the first name it is given.
  const std::string& name() const;
  void set_name(const std::string& name) const;
  /// Another name, where the article's is by now that of another tensor.
  void rename(const std::string& name) const;
  /// PyTorch's words for the operation that made the tensor, operands by name where they have one.
  std::string expression() const;
  /// The named tensors that the expression speaks of, in its order, each once.
  std::vector<std::string> inputs() const;

  /// The bytes of all tensors that this one is made from and that are not in `seen` yet (which grows), itself included
  /// unless parts of it are enough.
  std::int64_t bytes(std::unordered_set<const void*>& seen, bool in_parts = false) const;

  /// Those of the numbers that are computed at a time where print shows its edges.
  std::int64_t bytes_of_part() const;

 private:
  struct Node;
  Tensor(std::shared_ptr<const Operation> operation, std::vector<Tensor> operands, Kernels kernels, Shape shape,
         DType dtype);
  /// Numbers of a part of an operand.
  Tensor(const Tensor& operand, Array part);

  Array computed(const Box& part, const std::optional<std::vector<Need>>& needs) const;
  bool is_split() const;
  bool is_in_panels() const;
  Box first_panel() const;
  std::vector<Box> panels() const;
  Array by_panels(const std::vector<Box>& boxes) const;
  Array computed_part(const Box& box) const;
  void prepare(Box part) const;

  std::shared_ptr<Node> node_;
};

/// Calls `visit` with the tensor and all that it is made from, each once: those that are not in `seen` yet, which
/// grows.
template <class Visit>
void for_each_source(const Tensor& tensor, std::unordered_set<const void*>& seen, const Visit& visit) {
  if (!seen.insert(tensor.id()).second) {
    return;
  }
  visit(tensor);
  for (const Tensor& operand : tensor.operands()) {
    for_each_source(operand, seen, visit);
  }
}

struct AxisSource {
  Tensor tensor;
  std::size_t axis;
};

}  // namespace attn
