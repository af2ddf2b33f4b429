#include "emit/emitters.hpp"

#include <ostream>

#include "text/lines.hpp"

namespace attn::emit {
namespace {

using Json = nlohmann::ordered_json;

/// The lines; each but the last ends with "\n".
Json lines_with_ends(std::string_view text) {
  Json lines = Json::array();
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return lines;
}

}  // namespace

void Notebook::add_text(const std::string& markdown) {
  cells_.push_back({{"cell_type", "markdown"}, {"metadata", Json::object()}, {"source", lines_with_ends(markdown)}});
}

void Notebook::add_code(const std::string& code, const std::string& printed) {
  const std::string_view trimmed = text::trimmed(code);
  if (trimmed.empty()) {
    return;
  }
  add_blank();
  Json& cell = cells_.back();
  cell["execution_count"] = ++runs_;
  cell["source"] = lines_with_ends(trimmed);
  if (!printed.empty()) {
    cell["outputs"].push_back({{"name", "stdout"}, {"output_type", "stream"}, {"text", lines_with_ends(printed)}});
  }
}

void Notebook::add_blank() {
  cells_.push_back({{"cell_type", "code"},
                    {"execution_count", nullptr},
                    {"metadata", Json::object()},
                    {"outputs", Json::array()},
                    {"source", Json::array()}});
}

void Notebook::write(std::ostream& out) const {
  const Json notebook = {
      {"cells", cells_},
      {"metadata",
       {{"kernelspec", {{"display_name", "Python 3"}, {"language", "python"}, {"name", "python3"}}},
        {"language_info", {{"name", "python"}}}}},
      {"nbformat", 4},
      {"nbformat_minor", 4},
  };
  out << notebook.dump(1, ' ', false, Json::error_handler_t::replace) << '\n';
}

}  // namespace attn::emit
