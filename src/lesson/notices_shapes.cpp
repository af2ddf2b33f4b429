// Notices about shapes: rows that get shorter, heads split and joined.

#include "lesson/noticing.hpp"

#include <algorithm>

namespace attn::render {

void Noticing::look_at_shape() {
  switch (tensor_.kind()) {
    case Kind::view: heads_joined(); break;
    case Kind::transpose: transposed(); break;
    case Kind::cat: parts_joined(); break;
    case Kind::linear: projected(operand(1).size(0)); break;
    case Kind::matmul:
      if (operand(1).operation().is_parameter()) {
        projected(operand(1).size(1));
      }
      break;
    default: break;
  }
}

void Noticing::projected(std::int64_t d_out) {
  const std::int64_t d_in = operand(0).size(-1);
  if (d_in != d_out) {
    const bool is_one = tensor_.dim() == 1;
    say(std::string(is_one ? "" : "in each row, ") + counted(d_in, "number becomes ", "numbers become ") +
        std::to_string(d_out));
  }
}

void Noticing::heads_joined() {
  const Shape& from = operand(0).shape();
  const Shape& to = tensor_.shape();
  if (to.size() == 3 && from.size() == 4 && from[0] == to[0] && from[1] == to[1]) {
    say(counted(from[2], "head", "heads") + " x " + counted(from[3], "number", "numbers") + " = " +
        counted(to[2], "number", "numbers") + " for each token");
  } else {
    heads_split(tensor_);
  }
}

void Noticing::heads_split(const Tensor& view) {
  const Shape& from = view.operands()[0].shape();
  const Shape& to = view.shape();
  if (from.size() == 3 && to.size() == 4 && from[0] == to[0] && from[1] == to[1]) {
    say("the last axis, of size " + std::to_string(from[2]) + ", is split into " + counted(to[2], "head", "heads") +
        " of head_dim " + std::to_string(to[3]));
  }
}

void Noticing::transposed() {
  const Tensor& x = operand(0);
  if (x.kind() == Kind::view) {
    heads_split(x);
  }
  const auto [first, second] = tensor_.operation().facts().axes;
  const bool swaps_last =
      std::max(first, second) + 1 == tensor_.shape().size() && std::min(first, second) + 2 == tensor_.shape().size();
  if (swaps_last && counts_tokens(tensor_, tensor_.shape().size() - 1)) {
    say("each token is now a column, not a row");
  }
}

void Noticing::parts_joined() {
  const auto& parts = tensor_.operands();
  const std::int64_t axis = tensor_.operation().facts().axis;
  if (axis >= 0 && axis + 1 < tensor_.dim()) {
    if (axis == 0 && tensor_.dim() == 2) {
      std::string rows;
      for (const Tensor& part : parts) {
        rows += (rows.empty() ? "" : " + ") + counted(part.size(0), "row", "rows");
      }
      say(rows + " = " + counted(tensor_.size(0), "row", "rows"));
    }
    return;
  }
  const std::int64_t width = parts[0].size(-1);
  const bool is_even =
      std::all_of(parts.begin(), parts.end(), [width](const Tensor& part) { return part.size(-1) == width; });
  if (is_even && parts.size() > 1) {
    say(std::to_string(parts.size()) + " heads x " + counted(width, "column", "columns") + " = " +
        counted(tensor_.size(-1), "column", "columns"));
  }
}

}  // namespace attn::render
