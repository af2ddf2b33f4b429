#include "walk/walkthrough.hpp"

#include <utility>

namespace attn {

void Walkthrough::section(std::string name) { section_ = std::move(name); }

void Walkthrough::add(const std::string& name, const std::string& label, const Tensor& tensor,
                      bool in_article) {
  tensor.set_name(name);
  steps_.push_back({Step::Kind::tensor, section_, name, label, in_article, tensor, "", "\n"});
}

void Walkthrough::show(const std::string& name, const std::string& label, const Tensor& tensor) {
  add(name, label, tensor, true);
}

void Walkthrough::extra(const std::string& name, const Tensor& tensor, const std::string& words) {
  const std::string label = words.empty() ? tensor.expression() : words;
  add(name, tensor.operation().is_parameter() ? label : label + "\n", tensor, false);
}

void Walkthrough::size(const std::string& name, const std::string& label, const Tensor& tensor) {
  steps_.push_back({Step::Kind::size, section_, name, label, true, tensor, "", "\n"});
}

void Walkthrough::text(const std::string& name, const std::string& label, const std::string& text,
                       bool in_article) {
  steps_.push_back({Step::Kind::text, section_, name, label, in_article, std::nullopt, text, "\n"});
}

}  // namespace attn
