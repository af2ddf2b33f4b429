#pragma once

#include <string>
#include <vector>

#include "cli/parser.hpp"

namespace attn::cli {

/// `attn-walkthrough man`.
class ManParser final : public Parser {
 public:
  using Parser::Parser;
  void add_options() override;
  void finish() override;
};

/// `attn-walkthrough completion SHELL`.
class CompletionParser final : public Parser {
 public:
  using Parser::Parser;
  void add_options() override;
  void finish() override;

 private:
  std::vector<std::string> shells_;
};

/// `attn-walkthrough complete -- WORD...`.
class CompleteParser final : public Parser {
 public:
  using Parser::Parser;
  void add_options() override;
  void finish() override;
};

}  // namespace attn::cli
