#include "tensor/tensor.hpp"

#include <algorithm>
#include <mutex>
#include <numeric>

#include "tensor/blas.hpp"
#include "tensor/operations.hpp"

namespace attn {

struct Tensor::Node {
  std::shared_ptr<const Operation> operation;
  std::vector<Tensor> operands;
  Shape shape;
  DType dtype;
  std::optional<Kernels> kernels;
  bool requires_grad;
  bool is_without_grad = false;
  std::string name;
  std::int64_t given = 0;      ///< elements of the largest leaf that it depends on and that is held whole
  bool is_large = false;       ///< see Evaluation
  bool is_from_large = false;  ///< it or a tensor that it depends on is large
  bool is_passing = false;     ///< a part of an operand for a single computation

  std::mutex mutex;  ///< guards the members below
  std::optional<Array> array;
  std::optional<std::pair<Box, Array>> last_part;  ///< for value()
};

std::optional<std::vector<Need>> Operation::needs(const std::vector<Tensor>&, Box&) const { return std::nullopt; }

std::optional<AxisSource> Operation::axis_source(const std::vector<Tensor>& operands, std::size_t axis) const {
  return AxisSource{operands[0], axis};
}

std::optional<AxisSource> Operation::outer_axis_source(const std::vector<Tensor>& operands, std::size_t axis) {
  return axis + 1 < operands[0].shape().size() ? std::optional(AxisSource{operands[0], axis}) : std::nullopt;
}

Tensor::Tensor(std::shared_ptr<const Operation> operation, std::vector<Tensor> operands, Shape shape, DType dtype)
    : Tensor(std::move(operation), operands, first_kernels(operands), std::move(shape), dtype) {}

Tensor::Tensor(std::shared_ptr<const Operation> operation, std::optional<Kernels> kernels, Shape shape, DType dtype)
    : Tensor(std::move(operation), {}, kernels, std::move(shape), dtype) {}

Tensor::Tensor(std::shared_ptr<const Operation> operation, std::vector<Tensor> operands, std::optional<Kernels> kernels,
               Shape shape, DType dtype)
    : node_(std::make_shared<Node>()) {
  const std::int64_t count = element_count(shape);
  const bool differentiable = dtype == DType::float32 && !operation->autograd_name(operands).empty();
  node_->requires_grad = operation->is_trainable() ||
                         (differentiable && std::any_of(operands.begin(), operands.end(),
                                                        [](const Tensor& operand) { return operand.requires_grad(); }));
  node_->operation = std::move(operation);
  node_->operands = std::move(operands);
  node_->shape = std::move(shape);
  node_->dtype = dtype;
  node_->kernels = kernels;
  Box all = whole_box(node_->shape);
  if (node_->operands.empty() && !node_->operation->needs({}, all)) {
    node_->given = count;
  }
  for (const Tensor& operand : node_->operands) {
    node_->given = std::max(node_->given, operand.node_->given);
    node_->is_from_large = node_->is_from_large || (operand.node_->is_from_large && !is_picked(operand));
  }
  node_->is_large = count > evaluation().large && count / 2 > node_->given;
  node_->is_from_large = node_->is_from_large || node_->is_large;
}

Tensor::Tensor(const Tensor& operand, Array part) : node_(std::make_shared<Node>()) {
  node_->operation = operand.node_->operation;
  node_->shape = part.shape;
  node_->dtype = operand.dtype();
  node_->kernels = operand.node_->kernels;
  node_->array = std::move(part);
  node_->is_passing = true;
}

const Shape& Tensor::shape() const { return node_->shape; }

std::int64_t Tensor::size(std::int64_t axis) const {
  return shape().at(static_cast<std::size_t>(axis < 0 ? axis + dim() : axis));
}

DType Tensor::dtype() const { return node_->dtype; }

Kernels Tensor::kernels() const { return node_->kernels.value_or(Kernels{}); }

std::optional<Kernels> Tensor::first_kernels(const std::vector<Tensor>& operands) {
  const auto found = std::ranges::find_if(operands, [](const Tensor& x) { return x.node_->kernels.has_value(); });
  return found == operands.end() ? std::nullopt : found->node_->kernels;
}

Kernels kernels_of(const std::vector<Tensor>& operands) { return Tensor::first_kernels(operands).value_or(Kernels{}); }

const Array& Tensor::array() const {
  const std::scoped_lock lock(node_->mutex);
  if (!node_->array) {
    const std::vector<Box> boxes = is_in_panels() ? panels() : std::vector<Box>{};
    Box all = whole_box(shape());
    node_->array = boxes.size() > 1 ? by_panels(boxes) : computed(all, operation().needs(operands(), all));
  }
  return *node_->array;
}

Array Tensor::part(const Box& box) const {
  return is_at_hand() || is_whole(box, shape()) ? cut(array(), box) : computed_part(box);
}

Array Tensor::computed_part(const Box& box) const {
  Box wider = box;
  const auto needs = operation().needs(operands(), wider);
  return needs ? cut(computed(wider, needs), within(wider, box)) : cut(array(), box);
}

Array Tensor::computed(const Box& part, const std::optional<std::vector<Need>>& needs) const {
  if (!needs) {
    return operation().compute(operands(), whole_box(shape()));
  }
  std::vector<Tensor> parts;
  for (std::size_t i = 0; i < needs->size(); ++i) {
    const Tensor& operand = operands()[i];
    const auto& [box, is_shared] = (*needs)[i];
    parts.push_back(Tensor(operand, is_shared ? cut(operand.array(), box) : operand.part(box)));
  }
  return operation().compute(parts, part);
}

/// Returns true if the tensor or an operand is large: then parts of its operands suffice.
bool Tensor::is_split() const {
  const auto is_large = [](const Tensor& tensor) { return tensor.node_->is_large; };
  return is_large(*this) || std::ranges::any_of(operands(), is_large);
}

/// Returns true if only some rows of the operand, a large one, are read.
bool Tensor::is_picked(const Tensor& operand) const {
  return operation().picks_rows() && operand.node_->is_large && operand.id() == operands()[0].id();
}

bool Tensor::is_in_panels() const {
  constexpr std::int64_t worth_threads = std::int64_t{1} << 17;
  const bool is_worth = is_split() || (evaluation().threads > 1 && element_count(shape()) > worth_threads);
  return is_worth && dtype() == DType::float32 && dim() >= 2 && !operands().empty() && !operation().is_view();
}

/// The first rows of the first matrix, as many as are computed at a time.
Box Tensor::first_panel() const {
  std::int64_t width = std::max<std::int64_t>(1, size(-1));
  for (const Tensor& operand : operands()) {
    width = operand.node_->is_from_large && operand.dim() > 0 ? std::max(width, operand.size(-1)) : width;
  }
  Box box = whole_box(shape());
  for (std::size_t axis = 0; axis + 2 < box.size(); ++axis) {
    box[axis].end = 1;
  }
  box[box.size() - 2].end =
      std::clamp<std::int64_t>(evaluation().panel / width / rows_of_strips * rows_of_strips, 1, size(-2));
  return box;
}

/// Boxes of rows that can be computed separately, in order; empty if the whole cannot be assembled from such boxes.
std::vector<Box> Tensor::panels() const {
  const std::size_t axis = shape().size() - 2;
  const Box first = first_panel();
  std::vector<Range> rows;
  for (std::int64_t row = 0; row < size(-2); row = rows.back().end) {
    Box panel = first;
    panel[axis] = {row, std::min(row + first[axis].end, size(-2))};
    Box wider = panel;
    const auto needs = operation().needs(operands(), wider);
    panel[axis].end = wider[axis].end;
    if (!needs || wider != panel) {
      return {};
    }
    rows.push_back(panel[axis]);
  }
  const Shape outer(shape().begin(), shape().end() - 2);
  std::vector<Box> boxes;
  for (std::int64_t place = 0; place < element_count(outer); ++place) {
    for (const Range& range : rows) {
      boxes.push_back(box_at(index_at(place, outer)));
      boxes.back().insert(boxes.back().end(), {range, {0, size(-1)}});
    }
  }
  return boxes;
}

/// Computes each box separately, on as many threads as there are.
Array Tensor::by_panels(const std::vector<Box>& boxes) const {
  if (is_split()) {  // shared by all boxes, computed on all threads
    prepare(boxes.front());
  } else {
    std::ranges::for_each(operands(), [](const Tensor& operand) { operand.array(); });
  }
  const Shape strides = row_major_strides(shape());
  Block<float> whole = Block<float>::unwritten(shape());
  for_each_at_once(boxes.size(), [&](std::size_t i) {
    const Array numbers = computed_part(boxes[i]).contiguous();
    const Shape begin = box_begin(boxes[i]);
    const std::int64_t place = std::inner_product(begin.begin(), begin.end(), strides.begin(), std::int64_t{0});
    std::copy_n(numbers.floats(), numbers.count(), whole.data() + place);
  });
  return Array(std::move(whole));
}

void Tensor::each_part(const std::function<void(const Array& rows)>& use) const {
  every_part([&use](const Array& rows) {
    use(rows);
    return true;
  });
}

bool Tensor::every_part(const std::function<bool(const Array& rows)>& use) const {
  const bool is_in_parts = node_->is_large && dim() >= 2 && !is_at_hand();
  const std::vector<Box> boxes = is_in_parts ? panels() : std::vector<Box>{};
  if (boxes.empty()) {
    return use(array());
  }
  prepare();
  const auto together = static_cast<std::size_t>(evaluation().threads);
  for (std::size_t first = 0; first < boxes.size(); first += together) {
    std::vector<std::optional<Array>> parts(std::min(together, boxes.size() - first));
    for_each_at_once(parts.size(), [&](std::size_t i) { parts[i] = computed_part(boxes[first + i]); });
    if (!std::ranges::all_of(parts, [&use](const std::optional<Array>& part) { return use(*part); })) {
      return false;
    }
  }
  return true;
}

void Tensor::prepare() const {
  const bool is_in_parts = node_->is_from_large && dim() >= 2 && !is_at_hand();
  is_in_parts ? prepare(first_panel()) : void(array());
}

/// Computes what this part needs and other parts need too.
void Tensor::prepare(Box part) const {
  const auto needs = operation().needs(operands(), part);
  if (!needs) {
    array();
    return;
  }
  for (std::size_t i = 0; i < needs->size(); ++i) {
    const Tensor& operand = operands()[i];
    const auto& [box, is_shared] = (*needs)[i];
    if (is_shared || operand.is_at_hand()) {
      operand.array();
    } else {
      operand.prepare(box);
    }
  }
}

double Tensor::value(const Shape& index) const {
  if (is_at_hand()) {
    return array().value(index);
  }
  const Box box = box_at(index);
  Box wider = box;
  const auto needs = operation().needs(operands(), wider);
  if (!needs) {
    return array().value(index);
  }
  const std::scoped_lock lock(node_->mutex);
  auto& last = node_->last_part;
  if (!last || !contains(last->first, box)) {
    last.emplace(wider, computed(wider, needs));
  }
  return last->second.value(box_begin(within(last->first, box)));
}

Block<float> Tensor::own_floats() const {
  return node_->is_passing ? std::move(*node_->array).own_floats() : Array(array()).own_floats();
}

bool Tensor::is_at_hand() const {
  if (!node_->is_from_large) {
    return true;
  }
  const std::scoped_lock lock(node_->mutex);
  return node_->array.has_value();
}

Tensor Tensor::with_operands(std::vector<Tensor> operands) const {
  Tensor result(node_->operation, std::move(operands), shape(), dtype());
  if (node_->is_without_grad) {
    result.set_without_grad();
  }
  return result;
}

const Operation& Tensor::operation() const { return *node_->operation; }

Kind Tensor::kind() const { return operation().facts().kind; }

const std::vector<Tensor>& Tensor::operands() const { return node_->operands; }

bool Tensor::requires_grad() const { return node_->requires_grad; }

void Tensor::set_without_grad() const {
  node_->is_without_grad = true;
  node_->requires_grad = operation().is_view() && node_->operands[0].requires_grad();  // as PyTorch says of a view
  for (const Tensor& operand : operands()) {
    if (operand.name().empty() && !operand.operands().empty() && !operand.operation().is_parameter()) {
      operand.set_without_grad();
    }
  }
}

bool Tensor::is_without_grad() const { return node_->is_without_grad; }

std::string Tensor::grad_fn() const {
  const bool has_history = requires_grad() && !is_without_grad() && !operation().is_parameter();
  return has_history ? operation().autograd_name(operands()) : "";
}

const std::string& Tensor::name() const { return node_->name; }

void Tensor::set_name(const std::string& name) const {
  if (node_->name.empty()) {
    node_->name = name;
  }
}

void Tensor::rename(const std::string& name) const { node_->name = name; }

std::string Tensor::expression() const {
  std::vector<std::string> words;
  for (const Tensor& operand : operands()) {
    words.push_back(operand.words());
  }
  return operation().words(words);
}

std::string Tensor::words() const { return name().empty() ? expression() : name(); }

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

std::int64_t Tensor::bytes_of_part() const {
  constexpr std::int64_t rows = 64;  // a few at either edge, as many as a kernel processes at a time
  const std::int64_t count = element_count(shape());
  const bool has_parts = node_->is_from_large && dim() >= 2 && size(-2) > rows;
  return (has_parts ? count / size(-2) * rows : count) * element_size(dtype());
}

std::int64_t Tensor::bytes(std::unordered_set<const void*>& seen, bool in_parts) const {
  const bool is_kept = !in_parts || !node_->is_from_large;
  const void* const parts = &node_->shape;  // the key for the tensor's parts
  if (seen.contains(node_.get()) || !seen.insert(is_kept ? node_.get() : parts).second) {
    return 0;
  }
  std::int64_t total = 0;
  if (is_kept && !operation().is_view() &&
      __builtin_mul_overflow(element_count(shape()), element_size(dtype()), &total)) {
    throw TooLarge("a tensor of shape " + shape_text(shape()) + " has more than 2^63 bytes");
  }
  std::optional<std::vector<Need>> needs;
  if (dim() >= 2 && (!is_kept || (is_split() && is_in_panels()))) {
    Box panel = first_panel();
    needs = operation().needs(operands(), panel);
  }
  for (std::size_t i = 0; i < (needs ? needs->size() : operands().size()); ++i) {
    const bool is_in_parts = needs && !(*needs)[i].is_shared;
    if (!is_picked(operands()[i]) && __builtin_add_overflow(total, operands()[i].bytes(seen, is_in_parts), &total)) {
      throw TooLarge("the tensors together have more than 2^63 bytes");
    }
  }
  return total;
}

}  // namespace attn
