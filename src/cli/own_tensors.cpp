#include "cli/compute.hpp"

#include <filesystem>
#include <memory>
#include <utility>

#include "chapters/own.hpp"
#include "cli/option.hpp"
#include "text/lines.hpp"
#include "text/numbers.hpp"
#include "verify/port/right.hpp"

namespace attn::cli {
namespace {

namespace fs = std::filesystem;
using files::Dumped;
using files::Heading;

/// A file, and the name of a tensor in it.
struct Source {
  std::string file;
  std::optional<std::string> name;
};

bool exists(const std::string& path) {
  std::error_code ignored;
  return fs::exists(fs::path(path), ignored);
}

/// Splits "mine.npz:x" at the colon, unless a file has the whole name.
Source source_of(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos || exists(text) || !exists(text.substr(0, colon))) {
    return {text, std::nullopt};
  }
  return {text.substr(0, colon), text.substr(colon + 1)};
}

/// The key of a tensor as a weight's name: "W_query", or "pos_embedding_weight" of "pos_embedding.weight"; else empty.
std::string own_name(const std::string& key) {
  const std::string joined = text::replaced(key, ".", "_");
  return chapters::names_weight(key) ? key : chapters::names_weight(joined) ? joined : "";
}

/// The step of a weight, given its name or its key in a module's state_dict: "W_query.weight",
/// "self_attn.out_proj.bias", "heads.0.W_key.weight" (in section head_1). Other names are returned as they are.
std::string weight_name(const std::string& name) {
  if (const std::string own = own_name(name); !own.empty()) {
    return own;
  }
  const verify::Meant meant = verify::meant_by(name);
  const bool is_weight = meant.is_certain && !meant.steps.empty() && chapters::names_weight(meant.steps[0]);
  return is_weight ? (meant.section.empty() ? "" : meant.section + "/") + meant.steps[0] : name;
}

std::vector<Heading> headings(const std::string& option, const std::string& file) {
  return reading(option, [&] { return files::headings(file); });
}

/// The index of the tensor that `source` means: the only one, or the one with its name or, in a section, else with the
/// name `usual`. Throws UsageError if there is none, or several weights.
std::size_t place_of(const std::string& option, const Source& source, const std::string& usual,
                     const std::vector<Heading>& tensors) {
  const std::string name = source.name.value_or(usual);
  if (tensors.size() == 1 && !source.name) {
    return 0;
  }
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    if (tensors[i].name == name) {
      return i;
    }
    if (chapters::without_section(tensors[i].name) == name || weight_name(tensors[i].name) == name) {
      found.push_back(i);
    }
  }
  if (found.empty()) {
    throw unknown(option + ": " + text::quoted(source.file) + " has no tensor '" + name + "'", name,
                  names_in(tensors, &Heading::name), "attn-walkthrough help formats");
  }
  if (found.size() > 1 && option == "--weights") {
    throw UsageError(option + ": " + text::quoted(source.file) + " has several tensors '" + name +
                     "'; use FILE:NAME with the whole name; try " + source.file + ":" + tensors[found[0]].name);
  }
  return found[0];
}

/// The numbers of a file's tensor. Throws UsageError if its heading has changed.
files::SharedNumbers read_at(const std::string& option, const std::string& file, const Heading& heading,
                             std::size_t place) {
  std::size_t next = 0;
  std::vector<Dumped> found =
      reading(option, [&] { return files::read(file, [&](const Heading&) { return next++ == place; }); });
  if (found.size() != 1 || found[0].shape != heading.shape) {
    throw UsageError(option + ": " + text::quoted(file) + " changed while it was read; try again");
  }
  return found[0].values;
}

using Values = decltype(GivenTensor::values);

/// The numbers as float32. Throws UsageError for nan, inf and numbers outside float32's range.
std::vector<float> float32_values(const std::string& option, const std::string& file, const std::string& name,
                                  const Shape& shape, const std::vector<double>& numbers) {
  std::vector<float> values(numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const double number = numbers[i];
    values[i] = static_cast<float>(number);
    if (!std::isfinite(values[i])) {
      const std::string what = std::isfinite(number) ? text::shortest_text(number) + ", too large for float32"
                               : std::isnan(number)  ? "nan"
                                                     : (number < 0 ? "-inf" : "inf");
      throw UsageError(option + ": " + text::quoted(file) + ": " + name +
                       shape_text(index_at(static_cast<std::int64_t>(i), shape)) + " is " + what +
                       "; all numbers must be finite in float32; correct it and write the file again");
    }
  }
  return values;
}

/// The tensor at this index of a file, under the name `name`. Its numbers are read once, on first use.
GivenTensor given_tensor(const std::string& option, const std::string& file, const Heading& heading, std::size_t place,
                         const std::string& name) {
  const auto read = [option, file, heading, place, name, kept = std::make_shared<std::vector<float>>()] {
    if (kept->empty()) {
      *kept = float32_values(option, file, name, heading.shape, read_at(option, file, heading, place));
    }
    return kept;
  };
  return {name, heading.shape, read, file};
}

/// Splits NAME=FILE,NAME=FILE. A part without = continues the file name before it.
std::vector<std::pair<std::string, std::string>> named_files(const std::string& text) {
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const std::string& part : text::split(text)) {
    const std::size_t equals = part.find('=');
    if (equals == std::string::npos && !pairs.empty()) {
      pairs.back().second += "," + part;
    } else if (equals == std::string::npos || equals == 0 || equals + 1 == part.size()) {
      throw UsageError("--weights: '" + part +
                       "' is not a pair; give FILE, or NAME=FILE with commas between; try W_query=" +
                       (equals == 0 ? part.substr(1) : "query.npy"));
    } else {
      pairs.emplace_back(part.substr(0, equals), part.substr(equals + 1));
    }
  }
  return pairs;
}

GivenTensor read_weight(const std::string& given_name, const std::string& text) {
  const std::string name = weight_name(given_name);
  if (!chapters::names_weight(name)) {
    const std::vector<std::string> names(chapters::weight_names().begin(), chapters::weight_names().end());
    throw unknown("--weights: no weight is named '" + given_name + "'", std::string(chapters::without_section(name)),
                  names, "attn-walkthrough help formats");
  }
  const Source source = source_of(text);
  const std::vector<Heading> tensors = headings("--weights", source.file);
  const std::size_t place = place_of("--weights", source, name, tensors);
  const Shape& shape = tensors[place].shape;
  const bool is_bias = name.ends_with("_bias");
  if (shape.size() > 2 || (shape.size() < 2 && !is_bias)) {  // the chapter's error for a bias with two axes is better
    throw UsageError("--weights: " + text::quoted(source.file) + ": '" + tensors[place].name + "' has shape " +
                     shape_text(shape) + ", but " + name + " is " +
                     (is_bias ? "a vector [d_out]" : "a matrix [d_in, d_out] or nn.Linear's [d_out, d_in]") +
                     "; check which tensor you mean");
  }
  return given_tensor("--weights", source.file, tensors[place], place, name);
}

/// A weight's name in the chapter, its layout, and the part of the file's tensor that it is.
struct Meant {
  std::string name;
  GivenTensor::Layout layout;
  Shape shape;
  std::size_t part = 0;   ///< its index among equal parts
  std::size_t parts = 1;  ///< the number of parts along the axis
  std::size_t axis = 0;
};

/// The shape with the heads' axis joined: Flax has [d_in, heads, head_dim], [heads, head_dim, d_out], [heads,
/// head_dim].
Shape joined_heads(const Shape& shape, const std::string& name) {
  if (name.ends_with("_bias") && shape.size() == 2) {
    return {shape[0] * shape[1]};
  }
  if (!name.ends_with("_bias") && shape.size() == 3) {
    return name == "out_proj_weight" ? Shape{shape[0] * shape[1], shape[2]} : Shape{shape[0], shape[1] * shape[2]};
  }
  return shape;
}

/// Returns true if a fused matrix has its parts side by side in the columns: [d_in, parts * d_out].
bool has_parts_in_columns(const Shape& shape, std::int64_t parts) {
  return shape.size() == 2 && shape[1] % parts == 0 && (shape[0] % parts != 0 || shape[1] > shape[0]);
}

/// The weights that a tensor's name stands for in other libraries: none, one, or the parts of a fused tensor.
std::vector<Meant> meant_by_habit(const Heading& heading, bool is_conv1d) {
  const verify::Meant meant = verify::meant_by(heading.name);
  const std::string section = meant.section.empty() ? "" : meant.section + "/";
  const auto is_weight = [](const std::string& step) { return chapters::names_weight(step); };
  const std::size_t rank = heading.shape.size();
  const auto layout_of = [&](bool is_columns) {
    return is_columns                                  ? GivenTensor::Layout::columns
           : meant.kind == verify::Meant::Kind::weight ? GivenTensor::Layout::rows
                                                       : GivenTensor::Layout::as_is;
  };
  // "query" alone names the product, not the weight.
  const bool is_product = meant.kind == verify::Meant::Kind::any && !meant.steps.empty() && !is_weight(meant.steps[0]);
  if (!meant.is_certain || element_count(heading.shape) == 0 || is_product) {
    return {};
  }
  for (const std::vector<std::string>& parts : meant.parts) {
    const bool is_shaped = rank <= 2 && rank > 0 && parts[0].ends_with("_bias") == (rank == 1);
    if (!std::ranges::all_of(parts, is_weight) || !is_shaped) {
      continue;
    }
    const auto count = static_cast<std::int64_t>(parts.size());
    const bool is_columns = meant.is_columns || has_parts_in_columns(heading.shape, count);
    const std::size_t axis = is_columns && rank == 2 ? 1 : 0;
    if (heading.shape[axis] % count != 0) {
      continue;
    }
    Shape shape = heading.shape;
    shape[axis] /= count;
    std::vector<Meant> result;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      result.push_back({section + parts[i], layout_of(is_columns), shape, i, parts.size(), axis});
    }
    return result;
  }
  for (const std::string& step : meant.steps) {
    const Shape shape = joined_heads(heading.shape, step);
    if (is_weight(step) && step.ends_with("_bias") == (shape.size() == 1) && shape.size() <= 2) {
      return {{section + step, layout_of(meant.is_columns || is_conv1d || rank == 3), shape}};
    }
  }
  return {};
}

/// A part of a fused tensor's numbers.
Values part_of(const GivenTensor& fused, const Meant& meant) {
  return [read = fused.values, shape = fused.shape, meant] {
    const auto all = read();
    std::size_t inner = 1;
    for (std::size_t axis = meant.axis + 1; axis < shape.size(); ++axis) {
      inner *= static_cast<std::size_t>(shape[axis]);
    }
    const std::size_t row = static_cast<std::size_t>(shape[meant.axis]) * inner;
    const std::size_t width = row / meant.parts;
    auto part = std::make_shared<std::vector<float>>();
    for (std::size_t begin = meant.part * width; begin < all->size(); begin += row) {
      const auto from = all->begin() + static_cast<std::ptrdiff_t>(begin);
      part->insert(part->end(), from, from + static_cast<std::ptrdiff_t>(width));
    }
    return part;
  };
}

GivenWeights read_whole(const std::string& text, std::vector<std::string>& notes) {
  const Source source = source_of(text);
  GivenWeights weights{{}, true, text};
  std::vector<std::string> unused;
  const std::vector<Heading> tensors = headings("--weights", source.file);
  // GPT-2's Conv1D stores its weights as [d_in, d_out]; the shape of the fused weight reveals it.
  const bool is_conv1d = std::ranges::any_of(tensors, [](const Heading& one) {
    return one.name.find("c_attn") != std::string::npos && has_parts_in_columns(one.shape, 3);
  });
  for (std::size_t place = 0; place < tensors.size(); ++place) {
    const Heading& heading = tensors[place];
    if (source.name && *source.name != heading.name) {
      continue;
    }
    const std::string name = own_name(heading.name);
    if (!name.empty() && heading.shape.size() <= 3) {  // Flax has a separate axis for heads
      weights.tensors.push_back(given_tensor("--weights", source.file, heading, place, name));
      continue;
    }
    const std::vector<Meant> found = meant_by_habit(heading, is_conv1d && heading.name.find("c_") != std::string::npos);
    if (found.empty()) {
      unused.push_back(heading.name);
      continue;
    }
    const GivenTensor whole =
        given_tensor("--weights", source.file, heading, place, found.size() == 1 ? found[0].name : heading.name);
    for (const Meant& meant : found) {
      const Values values = meant.parts == 1 ? whole.values : part_of(whole, meant);
      weights.tensors.push_back({meant.name, meant.shape, values, source.file, meant.layout});
    }
  }
  if (!unused.empty() && !weights.tensors.empty()) {
    notes.push_back("--weights: not used from " + text::quoted(source.file) + ": " +
                    text::one_line(text::joined(unused)));
  }
  if (weights.tensors.empty()) {
    throw UsageError(
        "--weights: " + text::quoted(text) +
        " has no tensor with the name of a weight; see help formats for the names, or try W_query=" + text);
  }
  return weights;
}

}  // namespace

GivenTensor read_inputs(const std::string& option, const std::string& text, const std::string& name) {
  const Source source = source_of(text);
  const std::vector<Heading> tensors = headings(option, source.file);
  const std::size_t place = place_of(option, source, name, tensors);
  const Shape& shape = tensors[place].shape;
  const bool takes_batch = option == "--inputs";
  const bool has_rank = shape.size() == 2 || (takes_batch && shape.size() == 3);
  if (!has_rank || element_count(shape) < 1) {
    throw UsageError(option + ": " + text::quoted(source.file) + ": '" + tensors[place].name + "' has shape " +
                     shape_text(shape) + "; it must be [tokens, d_in]" +
                     (takes_batch ? " or [batch, tokens, d_in]" : "") +
                     ", each size at least 1; give a matrix with one row per token");
  }
  GivenTensor inputs = given_tensor(option, source.file, tensors[place], place, name);
  inputs.source = text;
  return inputs;
}

GivenWeights read_weights(const std::string& text, std::vector<std::string>& notes) {
  if (exists(text) || text.find('=') == std::string::npos) {
    return read_whole(text, notes);
  }
  GivenWeights weights{{}, false, text};
  for (const auto& [name, file] : named_files(text)) {
    weights.tensors.push_back(read_weight(name, file));
  }
  return weights;
}

}  // namespace attn::cli
