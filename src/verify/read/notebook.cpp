#include "verify/read/notebook.hpp"

#include <cstdint>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "verify/read/markup.hpp"
#include "verify/read/pieces.hpp"

namespace attn::verify {
namespace {

using nlohmann::json;

[[noreturn]] void fail(const std::string& name, const std::string& what) {
  throw PageError("'" + name + "' is no Jupyter notebook that can be read (" + what +
                  "); accepted is .ipynb as Jupyter saves it; save it again, or export it as HTML or text");
}

/// The notebook without what no page shows as text, such as images, which is dropped while it is parsed.
json parsed(const std::string& name, std::string_view text) {
  const auto is_read = [](int /*depth*/, json::parse_event_t event, const json& value) {
    return event != json::parse_event_t::key ||
           is_among(value.get_ref<const std::string&>(),
                    "cells cell_type source execution_count prompt_number outputs text data text/plain");
  };
  try {
    return json::parse(text, is_read);
  } catch (const json::parse_error& error) {
    fail(name, "its JSON breaks off or is damaged at byte " + std::to_string(error.byte));
  } catch (const json::exception&) {
    fail(name, "its JSON is damaged");
  }
}

/// The list at an object's key; empty if there is none.
const json& list_at(const json& holder, const char* key) {
  static const json none = json::array();
  const auto found = holder.find(key);
  return found != holder.end() && found->is_array() ? *found : none;
}

/// The text at an object's key: a string, or a list of lines.
std::string text_at(const json& holder, const char* key) {
  const auto found = holder.find(key);
  if (found != holder.end() && found->is_string()) {
    return *found;
  }
  std::string text;
  for (const json& line : list_at(holder, key)) {
    text += line.is_string() ? line.get_ref<const std::string&>() : "";
  }
  return text;
}

void write_lines(PageText& out, const std::string& text, Part::Kind kind) {
  write_markup(out, text, Markup::text, kind);
  if (!text.empty() && text.back() != '\n') {
    out.end_line();
  }
}

}  // namespace

bool looks_like_notebook(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && text[first] == '{' && text.find("\"nbformat\"") != std::string_view::npos;
}

void write_notebook(PageText& out, PageText& listing, const std::string& name, std::string_view text) {
  const json notebook = parsed(name, text);
  const auto cells = notebook.find("cells");
  if (cells == notebook.end() || !cells->is_array()) {
    fail(name, "it has no cells");
  }
  Place place;
  std::uint32_t code_cells = 0;
  for (const json& cell : *cells) {
    const bool is_code = text_at(cell, "cell_type") == "code";
    ++place.cell;
    place.number = code_cells + 1;
    for (const char* const count : {"execution_count", "prompt_number"}) {
      const auto number = cell.find(count);
      place.number = number != cell.end() && number->is_number_unsigned() ? number->get<std::uint32_t>() : place.number;
    }
    out.go_to(place);
    listing.go_to(place);
    for (const json& output : list_at(cell, "outputs")) {
      const auto data = output.find("data");
      write_lines(out, text_at(output, "text") + (data == output.end() ? "" : text_at(*data, "text/plain")),
                  Part::Kind::output);
    }
    write_lines(listing, text_at(cell, "source"), is_code ? Part::Kind::script : Part::Kind::markdown);
    code_cells += is_code ? 1 : 0;
  }
}

}  // namespace attn::verify
