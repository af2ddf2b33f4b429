#pragma once

#include <array>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "walk/walkthrough.hpp"

/// What is fuzzed. A target takes any bytes. It returns where they are refused in the way that they are
/// to be refused; whatever else it throws, and whatever a sanitizer finds, is a mistake of the program.
namespace attn::fuzz {

/// A page as `verify` reads it: a terminal's log, Markdown, a program, HTML and a notebook, one after the other.
void read_page(std::string_view bytes);
/// What the program on a page says: numbers that are written out, seeds and sizes.
void listing(std::string_view bytes);
/// A page of any kind read, explained and reported on, as text, JSON and HTML.
void verify(std::string_view bytes);
/// How print writes a tensor: options, shape and numbers.
void print(std::string_view bytes);
/// The command line, an argument a line, and where it asks for a small lesson, what is written for it.
void lesson(std::string_view bytes);
/// What follows --cell.
void cell(std::string_view bytes);
/// The answers to --predict's questions.
void predict(std::string_view bytes);
/// The manifest of a folder that --save is told to replace.
void manifest(std::string_view bytes);
/// A port's tensors, in whatever format, held against a chapter's.
void dump(std::string_view bytes);

struct Target {
  std::string_view name;
  void (*run)(std::string_view bytes);
};

inline constexpr auto targets = std::to_array<Target>({{"read_page", read_page},
                                                       {"listing", listing},
                                                       {"verify", verify},
                                                       {"print", print},
                                                       {"lesson", lesson},
                                                       {"cell", cell},
                                                       {"predict", predict},
                                                       {"manifest", manifest},
                                                       {"dump", dump}});

// What targets share.

/// Ends the process, which is what a fuzzer looks for, where it does not hold.
void require(bool holds, std::string_view what);

bool is_utf8(std::string_view text);

/// No control character but the allowed ones, no mark that turns the direction of writing, nothing but UTF-8.
void require_clean(std::string_view text, std::string_view what, std::string_view allowed = "\n");

/// An error as people get it: one clean line that says what is wrong; what is accepted; how to go on.
void require_error_line(const std::exception& error);

/// The words of the blog's inputs.
const std::vector<std::string>& tokens();

/// The steps of one of the blog's chapters.
std::vector<Step> steps_of(std::string_view chapter);

}  // namespace attn::fuzz
