#pragma once

#include <cstddef>
#include <functional>
#include <iosfwd>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "lesson/explain.hpp"
#include "render/document.hpp"
#include "torch/seed.hpp"
#include "walk/walkthrough.hpp"

namespace attn::render {

/// The JSON, indented, or in one line where `indent` is -1. What is not UTF-8 is U+FFFD; controls and marks that turn
/// the direction of writing are escaped.
std::string json_text(const nlohmann::ordered_json& json, int indent);

/// The same, indented by two, with `line_break`, which begins with "\n", before every line but the first.
std::string json_text(const nlohmann::ordered_json& json, const std::string& line_break);

/// Writes JSON of which not all need fit in memory: each piece when its turn comes, indented as json_text does.
class JsonWriter {
 public:
  /// `line_break` begins with "\n" and goes before every line but the first.
  explicit JsonWriter(std::ostream& out, std::string line_break = "\n")
      : out_(out), line_break_(std::move(line_break)) {}

  void begin_object() { begin("{", '}'); }
  void begin_array() { begin("[", ']'); }
  /// Ends what was begun last.
  void end();

  /// What is written next is the member's value.
  void member(std::string_view name);
  /// A value in an array, of a member, or alone.
  void value(const nlohmann::ordered_json& json);
  /// The same, as it stands: text that is JSON.
  void text(std::string_view json);
  /// All members of an object, in the object that is open.
  void members(const nlohmann::ordered_json& object);

 private:
  struct Open {
    char end;
    bool is_empty = true;
  };

  void begin(std::string_view open, char end);
  /// What stands before the next piece.
  void separate();

  std::ostream& out_;
  std::string line_break_;  ///< where the innermost object or array is open
  std::vector<Open> open_;
  bool has_name_ = false;  ///< a member's name stands, and its value does not
};

/// A number with the fewest digits that give the same float back; "inf", "-inf" and "nan" are strings.
nlohmann::ordered_json number_json(float value);

/// The number that somebody wrote: -1.
nlohmann::ordered_json seed_json(torch::Seed seed);

/// The tensor's values as nested lists. A float is written with the fewest digits that give the same float back;
/// JSON has no numbers for "inf", "-inf" and "nan", so these are strings.
void write_values(JsonWriter& json, const Tensor& tensor);

/// `about`, then the tokens, then every step with its values and explanation. Of a size there are no values, of a text
/// there is only the text.
void write_steps_json(JsonWriter& json, const nlohmann::ordered_json& about, std::span<const Step> steps,
                      const Why& why, std::span<const std::string> tokens);

/// A chapter as an object, several as an array of them: write_steps_json, or one number's derivation.
void write_json(std::ostream& out, const Document& document);

}  // namespace attn::render
