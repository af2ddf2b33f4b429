#pragma once

#include <cstddef>
#include <functional>
#include <iosfwd>
#include <span>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "render/document.hpp"
#include "render/explain.hpp"
#include "torch/seed.hpp"
#include "walk/walkthrough.hpp"

namespace attn::render {

/// The JSON, indented, or in one line where `indent` is -1. What is not UTF-8 is U+FFFD; controls and marks that turn
/// the direction of writing are escaped.
std::string json_text(const nlohmann::ordered_json& json, int indent);

/// The same, indented by two, with `line_break`, which begins with "\n", before every line but the first.
std::string json_text(const nlohmann::ordered_json& json, const std::string& line_break);

/// The object as json_text, and in place of its member that is null, what `write_member` writes.
void write_with(std::ostream& out, const nlohmann::ordered_json& json, const std::string& line_break,
                const std::string& member, const std::function<void()>& write_member);

/// A list of so many items, each written when its turn comes.
void write_list(std::ostream& out, std::size_t count, const std::string& line_break,
                const std::function<void(std::size_t, const std::string& line_break)>& write_item);

/// A number with the fewest digits that give the same float back; "inf", "-inf" and "nan" are strings.
nlohmann::ordered_json number_json(float value);

/// The number that somebody wrote: -1.
nlohmann::ordered_json seed_json(torch::Seed seed);

/// The tensor's values as nested lists. A float is written with the fewest digits that give the same float back;
/// JSON has no numbers for "inf", "-inf" and "nan", so these are strings.
void write_values(std::ostream& out, const Tensor& tensor, const std::string& line_break = "\n");

/// `about`, then the tokens, then every step with its values and explanation. Of a size there are no values, of a text
/// there is only the text.
void write_steps_json(std::ostream& out, nlohmann::ordered_json about, std::span<const Step> steps, const Why& why,
                      std::span<const std::string> tokens, const std::string& line_break = "\n");

/// A chapter as an object, several as an array of them: write_steps_json, or one number's derivation.
void write_json(std::ostream& out, const Document& document);

}  // namespace attn::render
