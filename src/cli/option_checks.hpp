#pragma once

#include "cli/option.hpp"

/// What only shows when all is read. All throw UsageError, or say what.
namespace attn::cli {

/// Refuses to write a page over a terminal.
void check_terminal(const Options& options, const Given& given);

/// Refuses --d-out beside both sizes that it stands for.
void check_sizes(const Options& options, const Given& given);

/// Refuses a bias of weights that are not nn.Linear's.
void check_bias(const Options& options, const Given& given);

/// Refuses a chapter that the articles that may be tried do not have.
void check_chapter(const Options& options, const Given& given);

/// Of `verify`, when files are read: refuses a query that is no token in the chapter that is named. Throws LessonError.
void check_query(const Options& options);

}  // namespace attn::cli
