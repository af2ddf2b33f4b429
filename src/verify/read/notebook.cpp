#include "verify/read/notebook.hpp"

#include <cstddef>

#include <nlohmann/json.hpp>

#include "verify/read/encoding.hpp"
#include "verify/read/markup.hpp"

namespace attn::verify {
namespace {

using nlohmann::json;

[[noreturn]] void fail(const std::string& name, const std::string& what) {
  throw PageError("'" + name + "' is no Jupyter notebook that can be read (" + what +
                  "); accepted is .ipynb as Jupyter saves it; save it again, or export it as HTML or text");
}

const json& member(const json& object, const char* key) {
  static const json nothing;
  const auto found = object.is_object() ? object.find(key) : object.end();
  return object.is_object() && found != object.end() ? *found : nothing;
}

/// A text, which a notebook may keep as a list of lines.
std::string joined_text(const json& text) {
  if (text.is_string()) {
    return text.get<std::string>();
  }
  std::string joined;
  if (text.is_array()) {
    for (const json& part : text) {
      joined += part.is_string() ? part.get_ref<const std::string&>() : "";
    }
  }
  return joined;
}

/// What an output says: a stream's "text", or a result's plain text, which format 3 kept in "text" too.
std::string output_text(const json& output) {
  const json& data = member(output, "data");
  return joined_text(data.is_object() ? member(data, "text/plain") : member(output, "text"));
}

void write_lines(PageText& out, const std::string& text, Part::Kind kind) {
  write_markup(out, text, Markup::text, kind);
  if (!text.empty() && text.back() != '\n') {
    out.end_line();
  }
}

/// What the cell holds, which format 3 kept in "input" where it is code.
void write_source(PageText& listing, const json& cell) {
  const json& type = member(cell, "cell_type");
  const json& source = member(cell, "source");
  write_lines(listing, joined_text(source.is_null() ? member(cell, "input") : source),
              type == "code" ? Part::Kind::script : Part::Kind::markdown);
}

void write_cells(PageText& out, PageText& listing, const json& cells, std::size_t& number) {
  for (const json& cell : cells) {
    const Place place{1, ++number};
    listing.go_to(place);
    write_source(listing, cell);
    out.go_to(place);
    for (const json& output : member(cell, "outputs")) {
      write_lines(out, output_text(output), Part::Kind::output);
    }
  }
}

json parse(const std::string& name, std::string_view text) {
  try {
    return json::parse(repaired_utf8(text));
  } catch (const json::parse_error& error) {
    fail(name, "its JSON breaks off or is damaged at byte " + std::to_string(error.byte));
  } catch (const json::exception&) {
    fail(name, "its JSON is damaged");
  }
}

}  // namespace

bool looks_like_notebook(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && text[first] == '{' && text.find("\"nbformat\"") != std::string_view::npos;
}

void write_notebook(PageText& out, PageText& listing, const std::string& name, std::string_view text) {
  const json notebook = parse(name, text);
  std::size_t number = 0;
  if (const json& cells = member(notebook, "cells"); cells.is_array()) {
    write_cells(out, listing, cells, number);
    return;
  }
  const json& worksheets = member(notebook, "worksheets");
  if (!worksheets.is_array()) {
    fail(name, "it has no cells");
  }
  for (const json& worksheet : worksheets) {
    write_cells(out, listing, member(worksheet, "cells"), number);
  }
}

}  // namespace attn::verify
