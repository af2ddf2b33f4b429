#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/options.hpp"
#include "cli/validators.hpp"

namespace CLI {
class App;
}

namespace attn::cli {

/// Adds a command's options to its parser. Texts are checked while they are parsed, so that conversions cannot fail.
/// Only parser.cpp and program.cpp know CLI11.
class Parser {
 public:
  Parser(CLI::App& app, Options& options) : options_(options), app_(app) {}
  Parser(const Parser&) = delete;
  Parser& operator=(const Parser&) = delete;
  virtual ~Parser() = default;

  virtual void add_options() = 0;
  /// What only shows when all is parsed. Throws UsageError.
  virtual void finish() = 0;

  /// The arguments that are no options, for a command that takes files.
  void take_files(const std::vector<std::string>& files);

  const Options& options() const { return options_; }

 protected:
  /// Takes an option's text.
  using Store = std::function<void(const std::string& text)>;

  void group(const std::string& name) { group_ = name; }
  void add(const std::string& name, const std::string& placeholder, const std::string& help, const Store& store,
           const Validator& check = {});
  /// For the help: words that are made when it is asked for.
  void placeholder(const std::string& name, const std::function<std::string()>& words);
  void add_files(const std::string& placeholder, const std::string& help, std::vector<std::string>& target);
  void footer(const std::string& text);
  /// The option's last value, of a flag any text; nothing where it is not given. The command's own name is given too.
  std::optional<std::string> given(std::string_view name) const;
  bool is_given(std::string_view name) const { return given(name).has_value(); }
  /// Refuses options that have no effect beside others.
  void check_rules() const;
  /// Refuses to write a page over a terminal; `name` is what its file may be called.
  void check_page(const std::string& name) const;
  void text(const std::string& name, const std::string& placeholder, const std::string& help,
            std::optional<std::string>& target, const Validator& check = {});
  void number(const std::string& name, const std::string& help, std::optional<std::int64_t>& target,
              std::int64_t example);
  void flag(const std::string& name, const std::string& help, bool& target, bool value);
  void add_seed(torch::Seed& target);
  /// --cpu and --blas; where nothing is given, `cpu` is the article's.
  void add_kernels(const std::string& cpu);
  /// The kernels that are asked for, else the article's; notes where this processor cannot run them.
  Kernels kernels(const chapters::Article& article);
  void add_fixture(Lesson& lesson);
  void add_own_inputs();
  void add_own_second_inputs();
  void add_own_weights();
  /// Reads the files that these name. Throws UsageError.
  void read_own_tensors(Lesson& lesson);
  void add_printing();
  void add_steps();
  void add_save(const std::string& help);
  void add_explain_and_heatmap();
  void add_format();
  void add_emit();
  /// `replaced` says what --force replaces.
  void add_output(const std::string& replaced);

  template <class Value, class Target>
  void choice(const std::string& name, const std::string& help, const std::map<std::string, Value>& values,
              Target& target) {
    std::vector<std::string> names;
    for (const auto& [word, value] : values) {
      names.push_back(word);
    }
    add_choice(name, help, names, [&target, values](const std::string& text) { target = values.at(text); });
  }

  Options& options_;

 private:
  void add_choice(const std::string& name, const std::string& help, const std::vector<std::string>& names,
                  const Store& store);
  template <class Target>
  void bounded(const std::string& name, const std::string& help, Target& target, std::int64_t example,
               std::int64_t least, std::int64_t most);

  /// The options' texts.
  struct OwnTensors {
    std::optional<std::string> inputs;
    std::optional<std::string> second_inputs;
    std::optional<std::string> weights;
  };

  CLI::App& app_;
  OwnTensors own_;
  std::string group_ = "Options";
  std::vector<std::string>* files_ = nullptr;
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
  /// That of the article that was named before, as far as there is one.
  const chapters::Chapter& entry_named_so_far() const;
  const WhatIf& what_if_of(const chapters::Chapter& chapter) const;
  void check_taken(const chapters::Chapter& chapter) const;

  std::string name_;
  std::vector<const chapters::Chapter*> entries_;  ///< the chapter of each article that has it
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
  void check_dropout_kernel() const;

  const chapters::Article* article_ = &chapters::all_articles().front().get();
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

 private:
  void add_lesson();

  std::optional<std::int64_t> d_out_;
};

}  // namespace attn::cli
