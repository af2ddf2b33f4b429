#include <algorithm>
#include <ostream>
#include <string>

#include "text/lines.hpp"
#include "torch/print.hpp"
#include "verify/port/report.hpp"
#include "verify/report/report.hpp"

namespace attn::verify {
namespace {

/// Writes the port's numbers as PyTorch prints them, in the step's shape if it fits, else in their own.
class TensorWriter {
 public:
  TensorWriter(std::ostream& out, const PortReport& report, std::size_t section, Derivations& derivations)
      : out_(out), report_(report), section_(section), derivations_(derivations) {}

  void write(const PortRow& row, std::size_t i) {
    const std::string id = tensor_id(section_, i);
    if (row.given == report_.given.size()) {
      write_visible(out_, row.place + ' ' + row.shape + ": ");
      write_tensor(out_, id, row.tint, row.verdict, 0, {});
    } else {
      const Observed& theirs = row.judged ? *row.judged->matched.theirs : report_.given[row.given];
      write_visible(out_, row.place + (row.judged && theirs.name != row.place ? ", your " + theirs.name : "") + '\n');
      row.judged&& row.judged->matched.laid ? write_laid(id, row) : write_as_given(id, row.tint, theirs);
    }
    out_ << "\n\n";
  }

 private:
  void write_as_given(const std::string& id, const Tint& tint, const Observed& theirs) {
    const Shape shape = is_unread(theirs) ? Shape{0} : theirs.shape;
    write_tensor(out_, id, tint, torch::print_tensor(contents_of(shape, dtype_of(theirs), theirs.values), {}, {}).text,
                 0, {});
  }

  void write_laid(const std::string& id, const PortRow& row) {
    const Judged& judged = *row.judged;
    const Laid& laid = *judged.matched.laid;
    const Tensor& step = *judged.matched.step->tensor;
    torch::PrintedTensor printed = torch::print_tensor(contents_of(step.shape(), step.dtype(), laid.values), {}, {});
    std::erase_if(printed.cells, [&](const torch::PrintedCell& cell) { return !is_theirs(laid, cell.position); });
    write_tensor(out_, id, row.tint, printed.text, printed.cells.size(), [&](std::size_t i) {
      const torch::PrintedCell& cell = printed.cells[i];
      const bool is_wrong = std::ranges::binary_search(judged.comparison.mismatched, cell.position);
      const std::string_view text = std::string_view(printed.text).substr(cell.offset, cell.size);
      return ShownCell{text, is_wrong ? "wrong" : "", cell_words(judged, cell.position, is_wrong)};
    });
  }

  static DType dtype_of(const Observed& theirs) {
    return theirs.dtype == "bool"                          ? DType::boolean
           : theirs.dtype.find("int") != std::string::npos ? DType::int64
                                                           : DType::float32;
  }

  static bool is_theirs(const Laid& laid, std::int64_t cell) {
    return laid.cells.empty() || std::ranges::binary_search(laid.cells, cell);
  }

  /// A cell's right value and its derivation.
  std::string cell_words(const Judged& judged, std::int64_t cell, bool is_wrong) {
    const Step& step = *judged.matched.step;
    return (is_wrong ? numbers_text(judged, cell) + '\n' : "") +
           derivations_.of({&step, index_at(cell, step.tensor->shape())}, full_name(step), report_.tokens);
  }

  std::ostream& out_;
  const PortReport& report_;
  std::size_t section_;
  Derivations& derivations_;
};

}  // namespace

void write_html(std::ostream& out, std::span<const PortReport> reports, const std::string& version) {
  Derivations derivations;
  std::vector<Sheet> sheets;
  for (std::size_t i = 0; i < reports.size(); ++i) {
    sheets.push_back(sheet_of(reports[i]));
    sheets.back().text = [&, i](std::ostream& pre) {
      TensorWriter writer(pre, reports[i], i, derivations);
      const std::vector<PortRow> rows = rows_of(reports[i]);
      for (std::size_t n = 0; n < rows.size(); ++n) {
        writer.write(rows[n], n);
      }
    };
  }
  write_document(out, sheets, version);
}

}  // namespace attn::verify
