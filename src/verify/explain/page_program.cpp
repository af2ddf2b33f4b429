#include "verify/explain/finding.hpp"

#include <iterator>
#include <unordered_set>

namespace attn::verify {
namespace {

constexpr std::int64_t most_numbers = 4'000'000;
constexpr double least_chance = -3;               ///< else other numbers would do as well
constexpr std::int64_t most_bounded = 4'000'000;  ///< terms of derivations, for a page

/// Calls back for a tensor and all that it is computed from, each once; for what is behind one only if told so.
template <class GoesOn>
void walk_back(const Tensor& tensor, const GoesOn& goes_on) {
  std::unordered_set<const void*> seen = {tensor.id()};
  std::vector<Tensor> open = {tensor};
  while (!open.empty()) {
    const Tensor one = std::move(open.back());
    open.pop_back();
    for (const Tensor& operand : goes_on(one) ? one.operands() : std::vector<Tensor>{}) {
      seen.insert(operand.id()).second ? open.push_back(operand) : void();
    }
  }
}

}  // namespace

/// Assigns a program's prints to what a page prints: in order, by place, shape, label and numbers.
class Aligner {
 public:
  Aligner(std::span<const Printed> printed, const std::vector<std::optional<Observed>>& shown,
          const std::vector<ProgramPrint>& prints)
      : printed_(printed), shown_(shown), prints_(prints) {}

  std::vector<PageProgram::Shows> run() {
    std::vector<PageProgram::Shows> shows(printed_.size());
    for (std::size_t begin = 0; begin < printed_.size();) {
      const std::uint32_t cell = printed_[begin].place.cell;
      std::size_t end = begin + 1;
      while (end < printed_.size() && end - begin < most_together && printed_[end].place.cell == cell) {
        ++end;
      }
      align(begin, end, prints_of(cell, printed_[end - 1].place), shows);
      begin = end;
    }
    return shows;
  }

 private:
  static constexpr std::size_t most_together = 512;
  static constexpr std::size_t most_prints = 2048;

  /// The tensors and sizes that a cell prints, or a page of text above this place.
  std::vector<std::size_t> prints_of(std::uint32_t cell, const Place& place) const {
    std::vector<std::size_t> result;
    for (std::size_t k = 0; k < prints_.size() && result.size() < most_prints; ++k) {
      const Place& here = prints_[k].place;
      const bool is_there = here.cell == cell && (cell > 0 || here.line < place.line) && k >= next_;
      if (is_there && (prints_[k].tensor || prints_[k].size || !prints_[k].is_other)) {
        result.push_back(k);
      }
    }
    return result;
  }

  /// Finds the assignment with the highest score, which keeps the order.
  void align(std::size_t begin, std::size_t end, const std::vector<std::size_t>& prints,
             std::vector<PageProgram::Shows>& shows) {
    const std::size_t rows = end - begin;
    const std::size_t columns = prints.size();
    std::vector<int> best((rows + 1) * (columns + 1), 0);
    const auto at = [&](std::size_t i, std::size_t k) -> int& { return best[i * (columns + 1) + k]; };
    std::vector<int> scores(rows * columns);
    for (std::size_t i = rows; i-- > 0;) {
      for (std::size_t k = columns; k-- > 0;) {
        const int score = scores[i * columns + k] = score_of(begin + i, prints[k]);
        at(i, k) = std::max({at(i + 1, k), at(i, k + 1), score > 0 ? score + at(i + 1, k + 1) : 0});
      }
    }
    for (std::size_t i = 0, k = 0; i < rows && k < columns;) {
      const int score = scores[i * columns + k];
      if (score > 0 && at(i, k) == score + at(i + 1, k + 1)) {
        const Alike alike = alike_of(begin + i, prints[k]);
        const bool is_labelled = !prints_[prints[k]].label.empty() && label_score(begin + i, prints[k]) > 0;
        shows[begin + i] = {prints[k], is_labelled || alike >= Alike::most, alike == Alike::all};
        next_ = prints[k++] + 1;
        ++i;
      } else {
        at(i, k) == at(i + 1, k) ? ++i : ++k;
      }
    }
    assign_rest(begin, end, prints, shows);
  }

  /// Assigns the rest one by one where there is one print for each printed thing.
  void assign_rest(std::size_t begin, std::size_t end, std::vector<std::size_t> prints,
                   std::vector<PageProgram::Shows>& shows) const {
    const std::span<const Printed> here = printed_.subspan(begin, end - begin);
    const bool has_sizes = std::ranges::any_of(here, is_size);
    std::erase_if(prints, [&](std::size_t k) { return !prints_[k].tensor && !has_sizes; });
    const bool are_certain = std::ranges::all_of(prints, [&](std::size_t k) { return prints_[k].is_certain; });
    for (std::size_t i = begin; i < end && prints.size() == here.size() && are_certain; ++i) {
      const std::size_t print = prints[i - begin];
      const bool is_size_of = is_size(printed_[i]) && prints_[print].size.has_value();
      if (!shows[i].print && (is_size_of || may_print(i, print)) && label_score(i, print) >= 0) {
        shows[i] = {print, true, false};
      }
    }
  }

  bool may_print(std::size_t i, std::size_t print) const {
    const ProgramPrint& one = prints_[print];
    const Printed& printed = printed_[i];
    if (printed.place.cell == 0 && one.place.line >= printed.place.line) {
      return false;
    }
    return is_size(printed) ? one.size == printed.shape
                            : one.tensor && shown_[i] && may_show(*shown_[i], one.tensor->shape());
  }

  int label_score(std::size_t i, std::size_t print) const {
    const std::string page = plain_label(printed_[i].label);
    const std::string label = plain_label(prints_[print].label);
    if (label.empty()) {
      return page.empty() || page == plain_label(prints_[print].words) ? 1 : 0;
    }
    return page == label                                                                    ? 5
           : page.empty()                                                                   ? 0
           : page.find(label) != std::string::npos || label.find(page) != std::string::npos ? 2
                                                                                            : -5;
  }

  /// How many of the cells that the program determines have its numbers.
  enum class Alike { none, unknown, most, all };

  Alike alike_of(std::size_t i, std::size_t print) {
    constexpr std::int64_t most = 4'000'000;
    if (is_size(printed_[i])) {
      return Alike::all;
    }
    const Tensor& tensor = *prints_[print].tensor;
    const std::int64_t count = element_count(tensor.shape());
    if (!seen_.contains(tensor.id()) && (count > most || computed_ > 4 * most)) {
      return Alike::unknown;
    }
    computed_ += seen_.insert(tensor.id()).second ? count : 0;
    std::size_t known = 0;
    std::size_t same = 0;
    std::size_t alike = 0;
    const std::vector<double> values = shown_values(*shown_[i], tensor);
    for (std::size_t k = 0; k < values.size(); ++k) {
      if (!std::isnan(values[k])) {
        const Nearness near = nearness(*shown_[i], k, {values[k], values[k]});
        ++known;
        same += near == Nearness::same ? 1U : 0U;
        alike += near == Nearness::other ? 0U : 1U;
      }
    }
    return known == 0                ? Alike::unknown
           : same == known           ? Alike::all
           : alike * 10 >= known * 7 ? Alike::most
                                     : Alike::none;
  }

  int score_of(std::size_t i, std::size_t print) {
    constexpr int scores[] = {-3, 3, 7, 12};  // of what is alike
    constexpr int of_size = 4;
    return !may_print(i, print)
               ? 0
               : label_score(i, print) +
                     (is_size(printed_[i]) ? of_size : scores[static_cast<std::size_t>(alike_of(i, print))]);
  }

  std::span<const Printed> printed_;
  const std::vector<std::optional<Observed>>& shown_;
  const std::vector<ProgramPrint>& prints_;
  std::unordered_set<const void*> seen_;  ///< the tensors with numbers that were asked for
  std::int64_t computed_ = 0;
  std::size_t next_ = 0;  ///< the first print that is not assigned yet
};

std::vector<RunWith> kernels_to_try(std::optional<Cpu> cpu, std::optional<Blas> blas,
                                    std::optional<DropoutKernel> dropout_kernel) {
  std::vector<RunWith> result;
  for (const DropoutKernel dropout : {DropoutKernel::standard, DropoutKernel::mkl}) {
    for (const Cpu one : {Cpu::avx2, Cpu::standard, Cpu::avx512}) {
      if (cpu.value_or(one) == one && dropout_kernel.value_or(dropout) == dropout) {
        result.push_back({{one, blas.value_or(Blas::haswell)}, dropout});
      }
    }
  }
  return result;
}

PageProgram::PageProgram(const Page& page, std::span<const Printed> printed, std::span<const RunWith> kernels)
    : shows_(printed.size()) {
  std::ptrdiff_t most = -1;
  const auto is_open = [](const Shows& one) { return one.print && !one.agrees; };
  for (const RunWith& with : kernels) {
    if (with.dropout_kernel == DropoutKernel::mkl && most >= 0 && !ran_.draws_dropout) {
      break;
    }
    Ran ran = run_program(page, with);
    for (std::size_t i = shown_.size(); i < printed.size() && !ran.prints.empty(); ++i) {
      shown_.push_back(shown_of(printed[i]));
    }
    std::vector<Shows> shows = Aligner(printed, shown_, ran.prints).run();
    const std::ptrdiff_t agreeing = std::ranges::count_if(shows, &Shows::agrees);
    if (agreeing > most) {
      most = agreeing;
      ran_ = std::move(ran);
      shows_ = std::move(shows);
    }
    if (ran_.draws.empty() || std::ranges::none_of(shows_, is_open)) {
      break;
    }
  }
  if (ran_.has_program) {
    faults_ = faults_of(ran_, page);
  }
}

// ---- What the program says of a tensor --------------------------------------------------------------

const Tensor* ProgramSource::tensor_at(std::size_t i) const {
  const ProgramPrint* const print = program_.at(i);
  return print != nullptr && print->tensor && program_.shown(i) ? &*print->tensor : nullptr;
}

Said ProgramSource::says(std::size_t i, bool is_at_end) {
  constexpr std::size_t most_sources = 8;
  const Tensor* const tensor = tensor_at(i);
  Said said;
  if (tensor == nullptr || bounds_.cost() > most_bounded || element_count(tensor->shape()) > most_numbers) {
    return said;
  }
  is_at_end ? bounds_.forget(*tensor) : void();
  const Observed& shown = *program_.shown(i);
  Agreement with = agree(shown, *tensor, bounds_);
  forget_noise(with, shown, *tensor);
  said.is_unknown = with.unknown > 0;
  said.is_exact = with.is_exact;
  if (!with.is_comparable || said.is_unknown || (!with.is_exact && with.chance > least_chance)) {
    return said;
  }
  const bool is_told = program_.is_certain(i) || is_excluded(with.chance, 1);
  const bool are_last = with.differing() == 0 && 2 * with.close() <= std::ssize(shown.values);
  const bool are_few = with.wrong.size() <= few_of(shown) && with.wrong.size() < shown.size();
  said.kind = with.wrong.empty()                 ? Said::Kind::right
              : is_told && (are_few || are_last) ? Said::Kind::near
                                                 : Said::Kind::other;
  said.wrong = with.wrong;
  walk_back(*tensor, [&](const Tensor& one) {
    const auto source = shown_.find(one.id());
    const bool is_shown = source != shown_.end() && said.sources.size() < most_sources;
    is_shown ? said.sources.push_back(source->second) : void();
    return source == shown_.end();
  });
  std::ranges::sort(said.sources);
  return said;
}

void ProgramSource::pass(std::size_t i, const Said& said) {
  if (const Tensor* const tensor = tensor_at(i)) {
    if (said.is_unknown && !program_.shown(i)->has_gap() && tensor->dtype() != DType::boolean) {
      bounds_.observe(*tensor, program_.shown(i)->cells());
    }
    shown_[tensor->id()] = i;
  }
}

std::string ProgramSource::words(std::size_t i) const {
  constexpr std::size_t longest = 160;
  const void* const id = tensor_at(i)->id();
  const auto id_of = [](const auto& one) { return one.tensor.id(); };
  const auto drawn = std::ranges::find(program_.ran().draws, id, id_of);
  if (drawn != program_.ran().draws.end() && !drawn->seeded.empty()) {
    const std::string nth = drawn->nth == 1 ? "" : " no. " + std::to_string(drawn->nth);
    return drawn->name.empty() ? drawn->call + nth + " after " + drawn->seeded
                               : drawn->name + " = " + drawn->call + ", drawn after " + drawn->seeded;
  }
  const auto own = std::ranges::find(program_.ran().computed, id, id_of);
  const std::string& print = program_.at(i)->words;
  const bool is_written = own != program_.ran().computed.end() && own->words.size() <= longest &&
                          (!own->words.ends_with("]") ||
                           print.find(own->words) != std::string::npos);  // or it is the part that is written into
  return is_written ? own->words : print + ", as the listing computes it";
}

bool ProgramSource::depends_on(std::size_t i, const Tensor& tensor) const {
  bool is_behind = false;
  if (const Tensor* const printed = tensor_at(i); printed != nullptr && program_.is_certain(i)) {
    walk_back(*printed, [&](const Tensor& one) {
      is_behind = is_behind || one.id() == tensor.id();
      return !is_behind;
    });
  }
  return is_behind;
}

}  // namespace attn::verify
