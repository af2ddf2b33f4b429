#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <unordered_set>

#include "tensor/array.hpp"
#include "tensor/derivation.hpp"
#include "tensor/kernels.hpp"

namespace attn {

/// The items [begin, end) of an axis.
struct Range {
  std::int64_t begin = 0;
  std::int64_t end = 0;

  std::int64_t size() const { return end - begin; }
  bool operator==(const Range&) const = default;
};

/// A range of each axis.
using Box = std::vector<Range>;

/// The box of a whole tensor.
Box whole_box(const Shape& shape);
/// The box of one element.
Box box_at(const Shape& index);

/// The sizes of a box.
Shape box_shape(const Box& box);
/// The index of the box's first element.
Shape box_begin(const Box& box);
bool is_whole(const Box& box, const Shape& shape);
bool contains(const Box& outer, const Box& inner);
/// The position of `inner` within `outer`.
Box within(const Box& outer, const Box& inner);

/// A part of an array, as a view.
Array cut(const Array& array, const Box& box);

/// Finds the part of a tensor of shape `from` with the elements of `part`, a part of the same tensor viewed in shape
/// `to`. Widens `part` to whole items of the axes that the reshape joins or splits.
Box reshaped_box(Box& part, const Shape& to, const Shape& from);

/// The part of an operand that an operation needs for a part of its result.
struct Need {
  Box box;
  bool is_shared = false;  ///< other parts of the result also need it
};

class Tensor;

/// A tensor's operation: its kind, and facts that belong to the kind. See operations.hpp.
enum class Kind;
struct Facts;

/// An axis of a tensor.
struct AxisSource;

/// The operation that computes a tensor: everything the program needs to know about one kind of operation.
class Operation {
 public:
  Operation() = default;
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;
  virtual ~Operation() = default;

  /// The parts of the operands from which a part of the result gets the bits that it has in the whole: the first
  /// operands, as many as are needed. Widens `part` to one that can be computed separately. By default, all of the
  /// result needs all of the operands.
  virtual std::optional<std::vector<Need>> needs(const std::vector<Tensor>& operands, Box& part) const;
  /// The numbers of a part, in PyTorch's order of arithmetic. The operands are the parts that it needs.
  virtual Array compute(const std::vector<Tensor>& operands, const Box& part) const = 0;
  /// The derivation of one element of the result. `index` has an entry for each axis.
  virtual Derivation derive(const std::vector<Tensor>& operands, const Shape& index) const = 0;
  /// The operation's properties.
  virtual Facts facts() const = 0;
  /// The operand's axis that continues as this axis of the result, item by item; empty if the axis is new. By default,
  /// the first operand's axes continue unchanged.
  virtual std::optional<AxisSource> axis_source(const std::vector<Tensor>& operands, std::size_t axis) const;
  /// The expression in PyTorch, with the operands' expressions: "queries @ keys.T".
  virtual std::string words(const std::vector<std::string>& operands) const = 0;
  /// The expression in a runnable PyTorch program. By default the words.
  virtual std::string pytorch(const std::vector<std::string>& operands) const { return words(operands); }
  /// The expression in a numpy program that computes in float32. `softmax(x, axis)` is a function of that program. By
  /// default the words; empty for a leaf whose numbers must be listed.
  virtual std::string numpy(const std::vector<std::string>& operands) const { return words(operands); }
  /// The name that PyTorch 2.x prints as grad_fn; empty if the operation has no gradient.
  virtual std::string autograd_name(const std::vector<Tensor>& operands) const = 0;
  /// Returns true if the result shares its first operand's numbers.
  virtual bool is_view() const { return false; }
  /// Returns true if it reads only some rows of its first operand, wherever they are. Of a large one it asks for these
  /// parts itself, and the others are never computed.
  virtual bool picks_rows() const { return false; }
  /// Returns true for an nn.Parameter.
  virtual bool is_parameter() const { return false; }
  /// Returns true if it requires a gradient whatever its operands do: by default, an nn.Parameter.
  virtual bool is_trainable() const { return false; }

 protected:
  /// For axis_source if all axes of the first operand but its last one continue.
  static std::optional<AxisSource> outer_axis_source(const std::vector<Tensor>& operands, std::size_t axis);
};

/// A value (shape, dtype, numbers) and the operation and operands that compute it. Cheap to copy. The numbers are
/// computed on demand and kept.
class Tensor {
 public:
  /// A tensor computed with kernels_of its operands.
  Tensor(std::shared_ptr<const Operation> operation, std::vector<Tensor> operands, Shape shape,
         DType dtype = DType::float32);
  /// A leaf; tensors computed from it use these kernels. A constant has none.
  Tensor(std::shared_ptr<const Operation> operation, std::optional<Kernels> kernels, Shape shape, DType dtype);

  const Shape& shape() const;
  std::int64_t dim() const { return static_cast<std::int64_t>(shape().size()); }
  /// The size of an axis; negative axes count from the end. Throws std::out_of_range.
  std::int64_t size(std::int64_t axis) const;
  DType dtype() const;
  Kernels kernels() const;

  /// Applies the same operation to other operands of the same shapes. The result has no name.
  Tensor with_operands(std::vector<Tensor> operands) const;

  /// All numbers.
  const Array& array() const;
  /// The numbers of a part. If the tensor depends on large ones, they are computed and not kept.
  Array part(const Box& box) const;
  /// Computes all numbers or, if parts suffice, what every part needs.
  void prepare() const;
  /// Passes on all numbers in order, some rows at a time; if the tensor depends on large ones, they are not kept.
  void each_part(const std::function<void(const Array& rows)>& use) const;
  /// The same up to the first part that `use` returns false for, which ends it: returns false then.
  bool every_part(const std::function<bool(const Array& rows)>& use) const;
  /// One element; True is 1. The numbers computed with it are kept until the next call for another element.
  double value(const Shape& index) const;
  /// The numbers for modification: a copy, unless the tensor is a part that nothing else uses.
  Block<float> own_floats() const;
  /// Returns true if its numbers are computed, or nothing it depends on is large.
  bool is_at_hand() const;
  const Operation& operation() const;
  Kind kind() const;
  const std::vector<Tensor>& operands() const;
  /// Equal for all copies of a tensor, different for any other tensor.
  const void* id() const { return node_.get(); }

  bool requires_grad() const;
  /// Marks it, and what it is made of that has no name, as computed under torch.no_grad(): it has no gradient.
  void set_without_grad() const;
  bool is_without_grad() const;
  /// The text after grad_fn=, as PyTorch 2.x spells it; empty for leaves and tensors without a gradient.
  std::string grad_fn() const;

  /// The article's variable; empty without one. A tensor keeps its first name.
  const std::string& name() const;
  void set_name(const std::string& name) const;
  /// Gives another name to a tensor whose variable in the article now holds another tensor.
  void rename(const std::string& name) const;
  /// The PyTorch expression of the tensor's operation, with operands by name if they have one.
  std::string expression() const;
  /// Its name; the expression of a tensor without one.
  std::string words() const;
  /// The named tensors in the expression, in order, each once.
  std::vector<std::string> inputs() const;

  /// The bytes of all tensors that this one depends on and that are not yet in `seen` (which grows), including itself
  /// unless parts of it suffice.
  std::int64_t bytes(std::unordered_set<const void*>& seen, bool in_parts = false) const;

  /// The bytes of the numbers computed at a time when print shows only its edges.
  std::int64_t bytes_of_part() const;

 private:
  struct Node;
  static std::optional<Kernels> first_kernels(const std::vector<Tensor>& operands);
  Tensor(std::shared_ptr<const Operation> operation, std::vector<Tensor> operands, std::optional<Kernels> kernels,
         Shape shape, DType dtype);
  /// A part of an operand, with its numbers.
  Tensor(const Tensor& operand, Array part);

  Array computed(const Box& part, const std::optional<std::vector<Need>>& needs) const;
  bool is_split() const;
  bool is_picked(const Tensor& operand) const;
  bool is_in_panels() const;
  Box first_panel() const;
  std::vector<Box> panels() const;
  Array by_panels(const std::vector<Box>& boxes) const;
  Array computed_part(const Box& box) const;
  void prepare(Box part) const;

  std::shared_ptr<Node> node_;

  friend Kernels kernels_of(const std::vector<Tensor>& operands);
};

/// The kernels of what is computed from these: of the first that has any, else the default ones.
Kernels kernels_of(const std::vector<Tensor>& operands);

/// Calls `visit` for the tensor and all that it depends on, once for each tensor not yet in `seen`, which grows.
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

/// Settings for evaluating tensors. They never change a number.
struct Evaluation {
  int threads = 1;
  /// A tensor is computed in parts, if the requested operation allows it, when it has more elements than this and more
  /// than twice as many as any given or drawn tensor that it depends on and that is held whole.
  std::int64_t large = std::int64_t{1} << 22;
  /// The approximate number of elements computed at a time, chosen to fit a core's cache.
  std::int64_t panel = std::int64_t{1} << 18;
};

/// This process's settings.
Evaluation& evaluation();

/// The memory, in bytes, that threads besides the first work in: a panel, its operands, and BLAS's copies of both.
std::int64_t bytes_of_threads();

/// Calls `work` for each of [0, count) on as many threads as evaluation() says; a nested call uses one thread. Throws
/// what the first failing call throws.
void for_each_at_once(std::size_t count, const std::function<void(std::size_t i)>& work);

}  // namespace attn
