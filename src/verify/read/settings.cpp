#include "verify/read/settings.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "text/ascii.hpp"
#include "text/lines.hpp"
#include "text/numbers.hpp"
#include "verify/read/pieces.hpp"

namespace attn::verify {
namespace {

constexpr std::size_t longest_setting = 32;
constexpr std::size_t longest_statement = 160;

/// The number at a text's start; empty if it is part of a word or of a size such as 3x2.
std::optional<double> leading_number(std::string_view text) {
  std::size_t end = text.starts_with('-') ? 1 : 0;
  while (end < text.size() && (text::is_digit(text[end]) || text[end] == '.')) {
    ++end;
  }
  std::string_view digits = text.substr(0, end);
  digits.remove_suffix(digits.ends_with('.') && end == text.size() ? 1 : 0);
  const std::string_view after = text.substr(end);
  const std::string_view type = leading_name(after);
  const bool typed = is_among(type, "_f32 f f32 f64 u64 usize");
  return type.empty() || typed ? text::number_of<double>(digits) : std::nullopt;
}

std::optional<std::int64_t> leading_whole(std::string_view text) {
  const std::optional<double> number = leading_number(text);
  constexpr double most = 9e15;
  const bool whole = number && std::abs(*number) < most && *number == std::floor(*number);
  return whole ? std::optional(static_cast<std::int64_t>(*number)) : std::nullopt;
}

/// The comma-separated whole numbers at a text's start, up to a limit.
std::vector<std::int64_t> leading_wholes(std::string_view text, std::size_t most) {
  std::vector<std::int64_t> found;
  while (found.size() < most) {
    const std::optional<std::int64_t> number = leading_whole(text);
    if (!number) {
      break;
    }
    found.push_back(*number);
    const std::size_t comma = text.find(',');
    text = comma == npos ? std::string_view() : without_leading(text.substr(comma + 1), " ");
  }
  return found;
}

bool is_seed(std::string_view name) { return name.find("seed") != npos || is_among(name, "default_rng prngkey"); }

bool is_dropout(std::string_view name) {
  return is_among(name, "dropout drop drop_rate dropout_rate dropout_p p_drop attn_pdrop dropout_prob");
}

bool is_bias(std::string_view name) { return is_among(name, "qkv_bias use_bias bias"); }

bool is_linear(std::string_view name) { return is_among(name, "linear linear_no_bias dense"); }

class SettingsReader {
 public:
  explicit SettingsReader(std::string_view text) : text_(text) {}

  Settings read() {
    for (std::size_t at = 0; at < text_.size();) {
      if (!text::is_letter(text_[at])) {
        at += is_name_part(text_[at]) ? leading_name(text_.substr(at)).size() : 1;
        continue;
      }
      const std::string_view name = leading_name(text_.substr(at));
      const std::size_t end = at + name.size();
      if (name.size() <= longest_setting) {
        note(text::lower(name), text_.substr(end, longest_statement), text_.substr(0, at).ends_with("andom."));
      }
      at = end;
    }
    return std::move(settings_);
  }

 private:
  /// Reads a name and what follows it.
  void note(const std::string& name, std::string_view after, bool of_random) {
    after = after.substr(0, after.find('\n'));
    if (is_seed(name) || (name == "key" && of_random)) {
      note_seed(after);
    } else if (is_dropout(name)) {
      note_dropout(after);
    } else if (is_bias(name)) {
      note_bias(after);
    } else if (after.starts_with('(')) {
      note_weights(name, after.substr(after.find('(') + 1));
    }
    if (static_cast<std::size_t>(after.data() - text_.data()) > noted_to_) {
      note_sizes(name, after);
    }
  }

  /// "(123)", " = 123", ": 123", " of 123", " 123"
  void note_seed(std::string_view after) {
    after = without_leading(without_leading(after, "\"'"), " ");
    const std::size_t sign = !after.empty() && std::string_view("(=:").find(after.front()) != npos ? 1 : 0;
    after = without_leading(after.substr(sign), " ");
    after.remove_prefix(after.starts_with("of ") ? 3 : 0);
    if (const std::optional<std::int64_t> seed = leading_whole(after)) {
      settings_.seeds.push_back(*seed);
    }
  }

  /// "(0.5)", "=0.5", "(weights, p=0.5)"
  void note_dropout(std::string_view after) {
    after = without_leading(after, " \"'");
    if (after.empty() || std::string_view("(=:").find(after.front()) == npos) {
      return;
    }
    const bool call = after.front() == '(';
    std::string_view value = without_leading(after.substr(1), " =");
    if (const std::size_t p = call ? after.find("p=") : npos; p != npos) {
      value = after.substr(p + 2);
    }
    const std::optional<double> p = leading_number(value);
    if (p && *p >= 0 && *p <= 1) {
      settings_.dropouts.push_back(*p);
    }
  }

  void note_bias(std::string_view after) {
    const std::string_view sign = without_leading(after, " \"'");
    if (!sign.starts_with('=') && !sign.starts_with(':')) {
      return;
    }
    const std::string value = text::lower(leading_name(without_leading(sign, "=: ")));
    if (value == "true" || value == "false") {
      settings_.qkv_bias.push_back(value == "true");
    }
  }

  /// Reads the arguments after "rand(", "randn(", "Linear(".
  void note_weights(const std::string& name, std::string_view arguments) {
    if (name == "rand" || name == "uniform") {
      settings_.rand = true;
    } else if (name == "randn" || name == "normal") {
      settings_.randn = true;
    } else if (is_linear(name)) {
      settings_.linear = true;
      if (name == "linear_no_bias") {
        settings_.qkv_bias.push_back(false);
      }
    } else {
      return;
    }
    arguments = without_leading(arguments, "([ ");
    const std::optional<std::int64_t> first = leading_whole(arguments);
    const std::size_t comma = arguments.find(',');
    const std::optional<std::int64_t> second =
        comma == npos ? std::nullopt : leading_whole(without_leading(arguments.substr(comma + 1), " "));
    if (first && second) {
      settings_.d_out.push_back(*second);
    }
  }

  /// Reads "= 2" and ": 2"; and ", d_out = 3, 2" after the first of several names.
  void note_sizes(const std::string& name, std::string_view after) {
    after = without_leading(after, " \"'");
    if (after.empty() || std::string_view(",=:").find(after.front()) == npos) {
      return;
    }
    std::vector<std::string> names{name};
    constexpr std::size_t most_names = 6;
    while (after.starts_with(',') && names.size() < most_names) {
      after = without_leading(after.substr(1), " ");
      const std::string_view next = leading_name(after);
      if (next.empty()) {
        return;
      }
      names.push_back(text::lower(next));
      after = without_leading(after.substr(next.size()), " ");
    }
    if (after.empty() || (after.front() != '=' && after.front() != ':')) {
      return;
    }
    noted_to_ = static_cast<std::size_t>(after.data() - text_.data());
    after = without_leading(after, "=: ");
    if (after.starts_with("usize")) {
      after = without_leading(after.substr(5), "= ");
    }
    const std::vector<std::int64_t> sizes = leading_wholes(after, names.size());
    for (std::size_t i = 0; sizes.size() == names.size() && i < names.size(); ++i) {
      note_size(names[i], sizes[i]);
    }
    if (!sizes.empty() && sizes.size() < names.size()) {
      note_size(names.back(), sizes.front());  // f(d_in, d_out, num_heads=2)
    }
  }

  void note_size(const std::string& name, std::int64_t size) {
    if (size > 0 &&
        is_among(name, "d_out dim_out out_features output_dim d_model embed_dim d_k d_q d_v d_kq head_dim")) {
      settings_.d_out.push_back(size);
    }
    if (size > 0 && is_among(name, "num_heads n_heads n_head nhead heads")) {
      settings_.num_heads.push_back(size);
    }
  }

  std::string_view text_;
  std::size_t noted_to_ = 0;  ///< names before this offset already have their sizes
  Settings settings_;
};

template <class List>
void sort(List& list) {
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

}  // namespace

Settings find_settings(std::string_view text) {
  Settings settings = SettingsReader(text).read();
  sort(settings.seeds);
  sort(settings.d_out);
  sort(settings.num_heads);
  sort(settings.dropouts);
  sort(settings.qkv_bias);
  return settings;
}

}  // namespace attn::verify
