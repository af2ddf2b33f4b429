#include "lesson/questions.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "lesson/account.hpp"
#include "lesson/numbers.hpp"
#include "tensor/operations.hpp"
#include "tensor/words.hpp"

namespace attn::render {
namespace {

/// Returns true for computed numbers: not given, not drawn, and not copied from other places.
bool has_questions(const Step& step) {
  if (step.kind != Step::Kind::tensor || step.tensor->dtype() != DType::float32) {
    return false;
  }
  const Operation& operation = step.tensor->operation();
  return !step.tensor->operands().empty() && !operation.is_parameter() && !operation.is_view();
}

/// Returns true for numbers that need no computing: the results of masks and normalisation.
bool is_plain(float value) { return value == 0 || value == 1 || !std::isfinite(value); }

std::uint32_t bits_of(float value) { return std::bit_cast<std::uint32_t>(value); }

/// Replaces each of the cells with "?", keeping every column's place.
std::string blanked(std::string text, const std::vector<torch::PrintedCell>& cells) {
  for (const torch::PrintedCell& cell : cells) {
    text.replace(cell.offset, cell.size, std::string(cell.size - 1, ' ') + "?");
  }
  return text;
}

}  // namespace

std::size_t Questions::Dice::below(std::size_t limit) {
  state_ += 0x9E3779B97F4A7C15U;
  std::uint64_t bits = state_;
  bits = (bits ^ (bits >> 30U)) * 0xBF58476D1CE4E5B9U;
  bits = (bits ^ (bits >> 27U)) * 0x94D049BB133111EBU;
  return static_cast<std::size_t>((bits ^ (bits >> 31U)) % limit);
}

/// The requested number of cells, in their order; all if there are no more.
std::vector<torch::PrintedCell> Questions::chosen(std::vector<torch::PrintedCell> cells) {
  const std::size_t wanted = std::min(static_cast<std::size_t>(std::max<std::int64_t>(cells_, 0)), cells.size());
  for (std::size_t i = 0; i < wanted; ++i) {
    std::swap(cells[i], cells[i + dice_.below(cells.size() - i)]);
  }
  cells.resize(wanted);
  std::sort(cells.begin(), cells.end(),
            [](const torch::PrintedCell& one, const torch::PrintedCell& other) { return one.offset < other.offset; });
  return cells;
}

/// Returns true if the number was shown before; a plain number counts only if it is a copy.
bool Questions::is_seen(const Tensor& tensor, std::int64_t position, float value) const {
  return seen_.contains(bits_of(value)) &&
         (!is_plain(value) || derived(tensor, index_at(position, tensor.shape())).rule == Derivation::Rule::copy);
}

/// Returns true if the tensor was shown before or is a view of one that was; a mask is known by its rule.
bool Questions::is_shown(const Tensor& tensor) const {
  const Tensor& data = data_of(tensor);
  return shown_.contains(data.id()) || (data.kind() == Kind::given && data.dtype() == DType::boolean) ||
         (data.operation().is_view() && is_shown(data.operands()[0]));
}

std::vector<torch::PrintedCell> Questions::open(const Step& step, const torch::PrintedTensor& printed) const {
  if (!has_questions(step)) {
    return {};
  }
  const Numbers numbers(*step.tensor);
  std::vector<torch::PrintedCell> open = printed.cells;
  std::erase_if(open, [&](const torch::PrintedCell& cell) {
    return is_seen(*step.tensor, cell.position, numbers.at(cell.position));
  });
  return open;
}

std::optional<Question> Questions::of(const Step& step) {
  if (!has_questions(step)) {
    return {};
  }
  Question question{printed_step(step, text_), {}, {}};
  question.asked = chosen(open(step, question.printed));
  if (question.asked.empty()) {
    return {};
  }
  const Numbers numbers(*step.tensor);
  std::unordered_set<std::uint32_t> asked;
  for (const torch::PrintedCell& cell : question.asked) {
    asked.insert(bits_of(numbers.at(cell.position)));
  }
  std::vector<torch::PrintedCell> blanks = question.printed.cells;
  std::erase_if(blanks, [&](const torch::PrintedCell& cell) {
    const float value = numbers.at(cell.position);
    const bool is_asked = std::ranges::binary_search(question.asked, cell.offset, {}, &torch::PrintedCell::offset);
    return !is_asked && (is_plain(value) || !asked.contains(bits_of(value)));
  });
  question.text = blanked(question.printed.text, blanks);
  question.tells_operands =
      !std::ranges::all_of(step.tensor->operands(), [this](const Tensor& operand) { return is_shown(operand); });
  return question;
}

void Questions::note_shown(const Step& step, const torch::PrintedTensor& printed) {
  if (step.kind != Step::Kind::tensor || step.tensor->dtype() != DType::float32) {
    return;
  }
  const Numbers numbers(*step.tensor);
  for (const torch::PrintedCell& cell : printed.cells) {
    seen_.insert(bits_of(numbers.at(cell.position)));
  }
  shown_.insert(data_of(*step.tensor).id());
}

}  // namespace attn::render
