#include <algorithm>
#include <ostream>
#include <string>

#include "text/lines.hpp"
#include "torch/print.hpp"
#include "verify/report/document.hpp"
#include "verify/report/dump.hpp"

namespace attn::verify {
namespace {

const Tint unknown = {"unknown", "not recognised"};

Tint tint_of(PortVerdict verdict) {
  switch (verdict) {
    case PortVerdict::right: return {"same", verdict_name(verdict)};
    case PortVerdict::inherited: return {"inherited", verdict_name(verdict)};
    case PortVerdict::wrong:
    case PortVerdict::shape: break;
  }
  return {"differs", verdict_name(verdict)};
}

Tint tint_of(const Row& row) { return row.judged == nullptr ? unknown : tint_of(row.judged->verdict); }

std::vector<Tint> key_of_ports() {
  std::vector<Tint> tints;
  for (const PortVerdict verdict :
       {PortVerdict::right, PortVerdict::wrong, PortVerdict::shape, PortVerdict::inherited}) {
    tints.push_back(tint_of(verdict));
  }
  tints.push_back(unknown);
  tints.push_back({"wrong", "a wrong cell"});
  return tints;
}

/// Writes the port's numbers as PyTorch prints them, in the step's shape if it fits, else in their own.
class TensorWriter {
 public:
  TensorWriter(std::ostream& out, const PortReport& report, std::size_t section, Derivations& derivations)
      : out_(out), report_(report), section_(section), derivations_(derivations) {}

  void write(const Row& row, std::size_t i) {
    if (row.given == report_.given.size()) {
      write_visible(out_, row.name + ' ' + row.shape + ": ");
      write_tensor(out_, tensor_id(section_, i), tint_of(row), [&] { write_visible(out_, row.result); });
      out_ << "\n\n";
      return;
    }
    const Observed& theirs = row.judged ? *row.judged->matched.theirs : report_.given[row.given];
    const bool is_laid = row.judged && row.judged->matched.laid;
    const Contents numbers =
        is_laid ? contents_of(row.judged->matched.step->tensor->shape(), row.judged->matched.step->tensor->dtype(),
                              row.judged->matched.laid->values)
                : contents_of(is_unread(theirs) ? Shape{0} : theirs.shape, dtype_of(theirs), theirs.values);
    const torch::PrintedTensor printed = torch::print_tensor(numbers, {}, {});
    write_visible(out_, row.name + (row.judged && theirs.name != row.name ? ", your " + theirs.name : "") + '\n');
    write_tensor(out_, tensor_id(section_, i), tint_of(row), [&] {
      std::size_t written = 0;
      const auto write_until = [&](std::size_t end) {
        write_visible(out_, std::string_view(printed.text).substr(written, end - written));
        written = end;
      };
      for (const torch::PrintedCell& cell : printed.cells) {
        if (is_laid && is_theirs(*row.judged->matched.laid, cell.position)) {
          write_until(cell.offset);
          const bool is_wrong = std::ranges::binary_search(row.judged->comparison.mismatched, cell.position);
          write_cell(out_, is_wrong ? CellTint::wrong : CellTint::none,
                     cell_words(*row.judged, cell.position, is_wrong), [&] { write_until(cell.offset + cell.size); });
        }
      }
      write_until(printed.text.size());
    });
    out_ << "\n\n";
  }

 private:
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
    return (is_wrong ? numbers_text(judged, cell, judged.right[static_cast<std::size_t>(cell)]) + '\n' : "") +
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
  std::vector<Section> sections;
  for (std::size_t i = 0; i < reports.size(); ++i) {
    const PortReport& report = reports[i];
    std::vector<ListItem> items;
    for (const Row& row : rows_of(report)) {
      items.push_back({row.name, row.shape + " " + row.result, tint_of(row),
                       row.details.empty() ? "" : text::joined(row.details, "\n") + "\n"});
    }
    const auto write_tensors = [&, i](std::ostream& pre) {
      TensorWriter writer(pre, reports[i], i, derivations);
      const std::vector<Row> rows = rows_of(reports[i]);
      for (std::size_t n = 0; n < rows.size(); ++n) {
        writer.write(rows[n], n);
      }
    };
    sections.push_back({report.name, summary_of(report), exit_code(report) != 0,
                        std::to_string(report.given.size()) + " tensors", std::move(items), write_tensors});
  }
  const Counts counts = counts_of(reports[0]);
  const std::string title = reports.size() == 1 ? reports[0].name + ": " + std::to_string(counts.right) + " of " +
                                                      std::to_string(counts.given) + " tensors checked and right"
                                                : std::to_string(reports.size()) + " ports";
  write_document(out, title, key_of_ports(), sections, version);
}

}  // namespace attn::verify
