#include "files/safetensors_header.hpp"

#include <cstddef>
#include <unordered_set>
#include <utility>

#include <nlohmann/json.hpp>

#include "files/wrong.hpp"

namespace attn::files {
namespace {

using nlohmann::json;

[[noreturn]] void throw_bad_header(const std::string& what) {
  throw Wrong("its header " + what, "write it again with safetensors.numpy.save_file(tensors, path)",
              R"(a header looks like {"keys": {"dtype": "F32", "shape": [6, 2], "data_offsets": [0, 48]}})");
}

class HeaderReader : public nlohmann::json_sax<json> {
 public:
  std::vector<SafetensorsEntry> entries() && { return std::move(entries_); }

  bool null() override { other("null"); }
  bool boolean(bool /*value*/) override { other("true or false"); }
  bool number_integer(number_integer_t /*value*/) override { other("a negative number"); }
  bool number_float(number_float_t /*value*/, const string_t& /*text*/) override {
    other("a number that is not an integer");
  }
  bool binary(binary_t& /*value*/) override { other("bytes"); }

  bool number_unsigned(number_unsigned_t value) override {
    constexpr std::size_t most = 1000;  // axes; another check limits them further
    if (numbers_ == nullptr || numbers_->size() >= most) {
      other("a number");
    }
    numbers_->push_back(value);
    return true;
  }

  bool string(string_t& value) override {
    if (numbers_ != nullptr || depth_ != 2 || (!in_metadata_ && key_ != "dtype")) {
      other("a text");
    }
    if (!in_metadata_) {
      entries_.back().dtype = std::move(value);
    }
    return true;
  }

  bool start_object(std::size_t /*size*/) override {
    if (numbers_ != nullptr || depth_ == 2) {
      other("an object");
    }
    ++depth_;
    keys_.clear();
    return true;
  }

  bool end_object() override {
    constexpr std::size_t facts = 3;
    if (depth_ == 2 && !in_metadata_ && (keys_.size() != facts || entries_.back().offsets.size() != 2)) {
      throw_bad_header("does not say dtype, shape and data_offsets of '" + entries_.back().name.substr(0, 100) + "'");
    }
    --depth_;
    return true;
  }

  bool key(string_t& name) override {
    key_ = std::move(name);
    if (depth_ == 1) {
      if (!names_.insert(key_).second) {
        throw_bad_header("has two entries named '" + key_.substr(0, 100) + "'");
      }
      in_metadata_ = key_ == "__metadata__";
      if (!in_metadata_) {
        entries_.push_back({key_, {}, {}, {}});
      }
    } else if (!in_metadata_ && (!is_known(key_) || !keys_.insert(key_).second)) {
      throw_bad_header("says '" + key_.substr(0, 100) + "' of '" + entries_.back().name.substr(0, 100) + "'");
    }
    return true;
  }

  bool start_array(std::size_t /*size*/) override {
    if (numbers_ != nullptr || depth_ != 2 || in_metadata_ || key_ == "dtype") {
      other("a list");
    }
    numbers_ = key_ == "shape" ? &entries_.back().shape : &entries_.back().offsets;
    return true;
  }

  bool end_array() override {
    numbers_ = nullptr;
    return true;
  }

  bool parse_error(std::size_t position, const std::string& /*token*/,
                   const nlohmann::detail::exception& /*error*/) override {
    throw_bad_header("is not JSON from byte " + std::to_string(position) + " on");
  }

 private:
  static bool is_known(const std::string& key) { return key == "dtype" || key == "shape" || key == "data_offsets"; }

  [[noreturn]] void other(const std::string& what) const {
    throw_bad_header("has " + what + (depth_ == 0 ? "" : " at '" + key_.substr(0, 100) + "'"));
  }

  std::vector<SafetensorsEntry> entries_;
  std::unordered_set<std::string> names_;
  std::unordered_set<std::string> keys_;           ///< of the current tensor
  std::vector<std::uint64_t>* numbers_ = nullptr;  ///< the current list
  std::string key_;
  int depth_ = 0;
  bool in_metadata_ = false;
};

}  // namespace

std::vector<SafetensorsEntry> parse_safetensors_header(std::string_view text) {
  HeaderReader reader;
  json::sax_parse(text, &reader);
  return std::move(reader).entries();
}

}  // namespace attn::files
