#pragma once

#include <iosfwd>
#include <string>

#include <nlohmann/json.hpp>

namespace attn::emit {

/// A Jupyter notebook (nbformat 4.4), cell by cell.
class Notebook {
 public:
  void add_text(const std::string& markdown);
  /// Adds an executed code cell with its output. Adds nothing if the code is empty.
  void add_code(const std::string& code, const std::string& printed);
  /// Adds an empty code cell, to be filled in.
  void add_blank();
  void write(std::ostream& out) const;

 private:
  nlohmann::ordered_json cells_ = nlohmann::ordered_json::array();
  int runs_ = 0;
};

}  // namespace attn::emit
