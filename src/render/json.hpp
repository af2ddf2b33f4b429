#pragma once

#include "lesson/explain.hpp"
#include "render/document.hpp"
#include "torch/generator.hpp"
#include "walk/walkthrough.hpp"

namespace attn::render {

/// The content of derivation_text as data: the chapter's head and a list of derivations, the requested number's first,
/// each with its rule and its operands' elements in the order of the arithmetic. Throws CellError.
nlohmann::ordered_json derivation_json(const ShownChapter& chapter, const CellRequest& request, std::int64_t depth);

/// The JSON text, indented, or on one line if `indent` is -1. Bytes that are not UTF-8 become U+FFFD; control
/// characters and marks that change the direction of writing are escaped.
std::string json_text(const nlohmann::ordered_json& json, int indent);
/// JSON on one line that cannot end the script element around it.
std::string script_json(const nlohmann::ordered_json& json);

/// Writes JSON, indented by two, piece by piece, so it need not fit in memory.
class JsonWriter {
 public:
  explicit JsonWriter(std::ostream& out) : out_(out) {}

  void begin_object() { begin("{", '}'); }
  void begin_array() { begin("[", ']'); }
  /// Closes the innermost open object or array.
  void end();

  /// Names a member; the next piece written is its value.
  void member(std::string_view name);
  /// Writes a value: in an array, of a member, or alone.
  void value(const nlohmann::ordered_json& json);
  /// Writes text that is already JSON.
  void text(std::string_view json);
  /// Writes all members of an object into the open object.
  void members(const nlohmann::ordered_json& object);

 private:
  struct Open {
    char end;
    bool is_empty = true;
  };

  void begin(std::string_view open, char end);
  /// Writes the separator before the next piece.
  void separate();

  std::ostream& out_;
  std::string line_break_ = "\n";  ///< before each line of the innermost open object or array
  std::vector<Open> open_;
  bool has_name_ = false;  ///< a member's name is written and its value is not
};

/// A number with the fewest digits that round-trip the float; "inf", "-inf" and "nan" are strings.
nlohmann::ordered_json number_json(float value);

/// The seed as the user wrote it: -1.
nlohmann::ordered_json seed_json(torch::Seed seed);

/// Writes the tensor's values as nested lists. A float has the fewest digits that round-trip it; JSON has no numbers
/// for "inf", "-inf" and "nan", so these are strings.
void write_values(JsonWriter& json, const Tensor& tensor);

/// Writes one chapter as an object, several as an array of objects: what it is about, the tokens, and every step with
/// its values and explanation, beside its unchanged self if a rule is changed; or one number's derivation. A size has
/// no values; a text has only the text.
void write_json(std::ostream& out, const Document& document);

}  // namespace attn::render
