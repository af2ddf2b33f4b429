#include "verify/read/notebook.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "verify/read/markup.hpp"

namespace attn::verify {
namespace {

using nlohmann::json;

[[noreturn]] void fail(const std::string& name, const std::string& what) {
  throw PageError("'" + name + "' is no Jupyter notebook that can be read (" + what +
                  "); accepted is .ipynb as Jupyter saves it; save it again, or export it as HTML or text");
}

/// The role of an object or a list in a notebook.
enum class Role : std::uint8_t { other, notebook, cells, cell, outputs, output, data, lines };

/// Its place in the notebook: the role that contains it, and its key.
struct Nesting {
  Role outer;
  std::string_view key;  ///< empty for the items of a list
  bool is_list;
  Role role;
};

/// A text may be a list of lines.
constexpr Nesting nestings[] = {
    {Role::notebook, "cells", true, Role::cells},  {Role::cells, "", false, Role::cell},
    {Role::cell, "outputs", true, Role::outputs},  {Role::outputs, "", false, Role::output},
    {Role::output, "data", false, Role::data},     {Role::output, "text", true, Role::lines},
    {Role::data, "text/plain", true, Role::lines}, {Role::cell, "source", true, Role::lines},
};

/// Reads a notebook's JSON, holding one output at a time.
class NotebookReader final : public nlohmann::json_sax<json> {
 public:
  NotebookReader(PageText& out, PageText& listing) : out_(out), listing_(listing) {}

  bool has_cells() const { return has_cells_; }
  /// Why the JSON is invalid; empty if it is valid.
  const std::string& damage() const { return damage_; }

  bool null() override { return scalar(); }
  bool boolean(bool /*value*/) override { return scalar(); }
  bool number_integer(number_integer_t /*value*/) override { return scalar(); }
  bool number_unsigned(number_unsigned_t value) override {
    if (deeper_ == 0 && role() == Role::cell && (key_ == "execution_count" || key_ == "prompt_number")) {
      go_to_cell(static_cast<std::uint32_t>(value));
    }
    return scalar();
  }
  bool number_float(number_float_t /*value*/, const string_t& /*text*/) override { return scalar(); }
  bool binary(json::binary_t& /*value*/) override { return scalar(); }
  bool start_object(std::size_t /*size*/) override { return open(false); }
  bool start_array(std::size_t /*size*/) override { return open(true); }
  bool end_array() override { return close(); }

  bool string(string_t& value) override {
    if (std::string* text = held_text()) {
      *text += value;
    }
    return scalar();
  }

  bool key(string_t& value) override {
    if (deeper_ == 0) {
      key_ = std::move(value);
      if (std::string* text = held_text()) {
        text->clear();
      }
    }
    return true;
  }

  bool end_object() override {
    if (deeper_ == 0 && role() == Role::output) {
      write_output();
    } else if (deeper_ == 0 && role() == Role::cell) {
      write_source();
    }
    return close();
  }

  bool parse_error(std::size_t byte, const std::string& /*token*/, const json::exception& error) override {
    damage_ = dynamic_cast<const json::parse_error*>(&error) == nullptr
                  ? "its JSON is damaged"
                  : "its JSON breaks off or is damaged at byte " + std::to_string(byte);
    return false;
  }

 private:
  Role role() const { return roles_.empty() ? Role::other : roles_.back(); }

  bool scalar() {
    begin_item();
    return true;
  }

  bool open(bool is_list) {
    begin_item();
    const Role role = inner_role(is_list);
    if (role == Role::other) {
      ++deeper_;  // contains no output
      return true;
    }
    has_cells_ = has_cells_ || role == Role::cells;
    holder_ = this->role();
    roles_.push_back(role);
    return true;
  }

  Role inner_role(bool is_list) const {
    if (deeper_ > 0 || (roles_.empty() && is_list)) {
      return Role::other;
    }
    if (roles_.empty()) {
      return Role::notebook;
    }
    for (const Nesting& nesting : nestings) {
      const bool has_key = nesting.key.empty() || nesting.key == key_;
      if (nesting.outer == role() && has_key && nesting.is_list == is_list) {
        return nesting.role;
      }
    }
    return Role::other;
  }

  bool close() {
    if (deeper_ > 0) {
      --deeper_;
    } else {
      roles_.pop_back();
    }
    return true;
  }

  void begin_item() {
    if (deeper_ == 0 && role() == Role::cells) {
      ++cell_;
      go_to_cell(code_cells_ + 1);
    }
  }

  void go_to_cell(std::uint32_t number) {
    const Place place{1, cell_, number};
    out_.go_to(place);
    listing_.go_to(place);
  }

  /// The destination of the next text; null if it does not belong to an output or a cell.
  std::string* held_text() {
    const Role holder = role() == Role::lines ? holder_ : role();
    if (deeper_ > 0) {
      return nullptr;
    }
    if (holder == Role::output) {
      return key_ == "text" ? &printed_ : nullptr;
    }
    if (holder == Role::data) {
      return key_ == "text/plain" ? &printed_ : nullptr;
    }
    if (holder == Role::cell) {
      return key_ == "source" ? &source_ : key_ == "cell_type" ? &type_ : nullptr;
    }
    return nullptr;
  }

  static void write_lines(PageText& out, const std::string& text, Part::Kind kind) {
    write_markup(out, text, Markup::text, kind);
    if (!text.empty() && text.back() != '\n') {
      out.end_line();
    }
  }

  void write_output() {
    write_lines(out_, printed_, Part::Kind::output);
    printed_.clear();
  }

  void write_source() {
    const bool is_code = type_ == "code";
    code_cells_ += is_code ? 1 : 0;
    write_lines(listing_, source_, is_code ? Part::Kind::script : Part::Kind::markdown);
    source_.clear();
    type_.clear();
  }

  PageText& out_;
  PageText& listing_;
  std::vector<Role> roles_;    ///< of everything that is open
  std::size_t deeper_ = 0;     ///< number of open objects and lists within the innermost role
  std::string key_;            ///< the latest key in the innermost role
  Role holder_ = Role::other;  ///< the role that contains the innermost one
  std::string printed_;        ///< a stream's "text", or a result's plain text
  std::string source_;
  std::string type_;
  bool has_cells_ = false;
  std::uint32_t cell_ = 0;
  std::uint32_t code_cells_ = 0;  ///< number of code cells read
  std::string damage_;
};

}  // namespace

bool looks_like_notebook(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && text[first] == '{' && text.find("\"nbformat\"") != std::string_view::npos;
}

void write_notebook(PageText& out, PageText& listing, const std::string& name, std::string_view text) {
  NotebookReader reader(out, listing);
  json::sax_parse(text, &reader);
  if (!reader.damage().empty()) {
    fail(name, reader.damage());
  }
  if (!reader.has_cells()) {
    fail(name, "it has no cells");
  }
}

}  // namespace attn::verify
