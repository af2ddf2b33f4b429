#pragma once

#include <array>

#include "lesson/cell.hpp"
#include "render/json.hpp"
#include "render/page/nodes.hpp"
#include "verify/explain/finding.hpp"

/// A report as rows, the same for pages and dumps: the formats that list results write these.
namespace attn::verify {

enum class Outcome {
  right,
  allowed,    ///< wrong, but not a failure
  skipped,    ///< unknown, but not a failure
  inherited,  ///< a failure that follows from an earlier one
  wrong,      ///< also unknown, if that is a failure
};

/// A verdict's text, and its name in the style sheet.
struct Tint {
  std::string style;
  std::string words;
};

/// The result for one tensor or size, or for a line of a page's program.
struct Row {
  Outcome outcome = Outcome::right;
  Tint tint = {};
  std::string file = {};    ///< a path; empty for standard input
  std::int64_t line = 0;    ///< in the file; 0 if the file's lines are not those that a reader sees
  std::string place = {};   ///< "line 16"; of a port, the step's name
  std::string shape = {};   ///< "[2, 6, 6]"
  std::string origin = {};  ///< "causal attn_weights"; empty for a port
  std::string verdict = {};
  std::string title = {};                 ///< "line 16: causal attn_weights [2, 6, 6]"
  std::vector<std::string> details = {};  ///< lines on what is wrong
};

/// The details, each in a line of its own.
std::string details_text(const Row& row, const std::string& indent = "");

/// The results for one page or dump.
struct Sheet {
  std::string name;
  std::vector<Row> rows;
  std::size_t faults = 0;   ///< the first rows, which are about a page's program
  std::string summary;      ///< several lines; the first answers whether all is right
  render::Write text = {};  ///< for HTML: writes the page's text with its tensors tinted

  std::size_t count(Outcome outcome) const {
    return static_cast<std::size_t>(std::ranges::count(rows, outcome, &Row::outcome));
  }
  std::size_t failures() const { return count(Outcome::inherited) + count(Outcome::wrong); }
};

/// Writes GitHub Actions workflow commands, one per line: an annotation for each row that is not right, and the
/// summary. https://docs.github.com/actions/reference/workflow-commands-for-github-actions
void write_github(std::ostream& out, std::span<const Sheet> sheets);

/// Writes JUnit XML: a suite per sheet, a case per row.
void write_junit(std::ostream& out, std::span<const Sheet> sheets);

/// A page and its report.
struct ReportedPage {
  const Page& page;
  const Report& report;
};

/// What makes a page fail besides differing numbers.
struct Demands {
  bool strict = false;           ///< a tensor or size that is unknown fails
  bool allows_mistakes = false;  ///< a known mistake does not fail
};

/// A row for each fault of the program, then for each printed tensor and size.
Sheet sheet_of(const ReportedPage& reported, const Demands& demands = {});

/// Writes the number of right tensors, a line for each row with its details below, and the lessons.
void write_text(std::ostream& out, const ReportedPage& reported);

/// Writes the report as JSON; its version grows with each change that a reader may notice.
void write_json(render::JsonWriter& json, const ReportedPage& reported);

/// Writes one self-contained HTML file: the pages' texts with their tensors tinted by verdict, cell by cell; each cell
/// shows its right value and the derivation. Numbers of large tensors, and those after the first 20,000, show only the
/// right value.
void write_html(std::ostream& out, std::span<const ReportedPage> pages, const std::string& version);

/// How a verdict is told.
struct Telling {
  const char* name;
  const char* style;
  Outcome outcome;  ///< unless more or less is demanded
};

/// In the order of the verdicts.
inline constexpr auto tellings = std::to_array<Telling>({
    {"same", "same", Outcome::right},
    {"same numbers", "same", Outcome::right},
    {"last digit", "last-digit", Outcome::right},
    {"follows", "follows", Outcome::right},
    {"mistake", "mistake", Outcome::wrong},
    {"inherited", "inherited", Outcome::inherited},
    {"differs", "differs", Outcome::wrong},
    {"unknown", "unknown", Outcome::skipped},
});

inline const Telling& telling_of(Verdict verdict) { return tellings[static_cast<std::size_t>(verdict)]; }

/// The parts that are not empty: "a, b, c"
std::string listed(std::vector<std::string> parts, const char* between = ", ");

/// Returns true if the fault may be on purpose: no step of a lesson has it as a mistake either.
bool is_note(const Fault& fault, const Report& report);

/// "trainable/one_query W_query"
std::string step_words(const Finding& finding);

/// For each axis of the index the token there; empty where the axis does not count tokens.
std::vector<std::string> tokens_at(const Shape& index, const Finding& finding);
/// "[0, 2 (starts), 1]"; `tokens` has a word or nothing for each axis.
std::string index_words(const Shape& index, const std::vector<std::string>& tokens);

/// A cell of a tensor, and what it shows.
struct ShownCell {
  std::string_view text;  ///< within the tensor's
  std::string_view tint;  ///< "wrong", "close", or nothing
  std::string words;
};

/// The derivations of numbers in their cells' text. A derivation is a thousand times as long as its cell: this many
/// make a page of about 20 MB.
struct Derivations {
  std::size_t left = 20'000;

  /// A derivation one level deep, below the step's text; only the text if there are too many cells.
  std::string of(const render::Cell& cell, const std::string& step_words, std::span<const std::string> tokens);
};

/// Writes text verbatim, with invisible characters made visible.
void write_visible(std::ostream& out, std::string_view text);

/// Writes a tinted tensor of that many cells, followed by its verdict.
void write_tensor(std::ostream& out, const std::string& id, const Tint& tint, std::string_view text, std::size_t cells,
                  const std::function<ShownCell(std::size_t)>& cell_at);

/// Writes one self-contained HTML file: for each sheet a section with its results in a list, linked to the text.
void write_document(std::ostream& out, std::span<const Sheet> sheets, const std::string& version);

/// "page-1-3": the third tensor of the first section.
std::string tensor_id(std::size_t section, std::size_t tensor);

}  // namespace attn::verify
