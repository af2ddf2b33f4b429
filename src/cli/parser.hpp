#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "cli/options.hpp"

namespace attn::cli {

/// Adds a command's options to its parser. Texts are checked while they are parsed, so that conversions cannot fail.
class Parser {
 public:
  Parser(CLI::App& app, Options& options) : app_(app), options_(options) {}
  Parser(const Parser&) = delete;
  Parser& operator=(const Parser&) = delete;
  virtual ~Parser() = default;

  virtual void add_options() = 0;
  /// What only shows when all is parsed. Throws UsageError.
  virtual void finish() = 0;

  const CLI::App& app() const { return app_; }
  const Options& options() const { return options_; }

 protected:
  void group(const std::string& name) { group_ = name; }
  CLI::Option* add(const std::string& name, const std::string& placeholder, const std::string& help,
                   const CLI::callback_t& store);
  void text(const std::string& name, const std::string& placeholder, const std::string& help,
            std::optional<std::string>& target);
  void number(const std::string& name, const std::string& help, std::optional<std::int64_t>& target,
              std::int64_t example);
  void flag(const std::string& name, const std::string& help, bool& target, bool value);
  void add_seed(std::uint64_t& target);
  /// --cpu and --blas; where nothing is given, `cpu` is the article's.
  void add_kernels(const std::string& cpu);
  /// The kernels that are asked for, else the article's; notes where this processor cannot run them.
  Kernels kernels(Article article);
  void add_printing();
  void add_steps();

  template <class Value, class Target>
  void choice(const std::string& name, const std::string& help, const std::map<std::string, Value>& values,
              Target& target) {
    std::vector<std::string> names;
    for (const auto& [word, value] : values) {
      names.push_back(word);
    }
    add_choice(name, help, names, [&target, values](const CLI::results_t& texts) {
      target = values.at(texts.back());
      return true;
    });
  }

  CLI::App& app_;
  Options& options_;

 private:
  void add_choice(const std::string& name, const std::string& help, const std::vector<std::string>& names,
                  const CLI::callback_t& store);
  template <class Target>
  void bounded(const std::string& name, const std::string& help, Target& target, std::int64_t example,
               std::int64_t least, std::int64_t most);

  std::string group_ = "Options";
  std::optional<Cpu> cpu_;
  std::optional<Blas> blas_;
};

/// `attn-walkthrough CHAPTER`.
class ChapterParser final : public Parser {
 public:
  ChapterParser(CLI::App& app, std::string name, Options& options);
  void add_options() override;
  void finish() override;

 private:
  void add_shown();
  void add_classroom();
  void add_inputs();
  void add_projections();
  void add_dropout();
  chapters::Takes taken_somewhere() const;
  WhatIf rule_of(const chapters::ChapterEntry& chapter) const;
  void check_forms() const;
  void check_taken(const chapters::ChapterEntry& chapter) const;

  std::string name_;
  std::vector<const chapters::ChapterEntry*> entries_;  ///< the chapter of each article that has it
  std::optional<std::string> article_;
  std::optional<std::int64_t> d_out_;
  std::optional<std::string> what_if_;
};

/// `attn-walkthrough all`.
class AllParser final : public Parser {
 public:
  using Parser::Parser;
  void add_options() override;
  void finish() override;

 private:
  Article article_ = Article::blog;
};

/// `attn-walkthrough list`.
class ListParser final : public Parser {
 public:
  using Parser::Parser;
  void add_options() override;
  void finish() override;
};

/// `attn-walkthrough verify`.
class VerifyParser final : public Parser {
 public:
  using Parser::Parser;
  void add_options() override;
  void finish() override;
};

}  // namespace attn::cli
