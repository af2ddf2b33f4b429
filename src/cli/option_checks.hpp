#pragma once

#include "cli/option.hpp"

/// Checks that need the whole command line. All throw UsageError unless noted.
namespace attn::cli {

/// Refuses to write a page over a terminal.
void check_terminal(const Options& options, const Given& given);

/// Refuses --predict in a file that is no handout.
void check_exercises(const Options& options, const Given& given);
void check_live(const Options& options, const Given& given);

/// Refuses a seed beside --attend-to if nothing random is left.
void check_drawn(const Options& options, const Given& given);

/// Refuses --d-out together with both --d-out-kq and --d-out-v.
void check_sizes(const Options& options, const Given& given);

/// Refuses --qkv-bias if the weights are not nn.Linear's.
void check_bias(const Options& options, const Given& given);

/// Refuses --layer or --config of verify without the options that it needs.
void check_layer(const Options& options, const Given& given);

/// Refuses a --chapter that none of the articles to try has.
void check_chapter(const Options& options, const Given& given);

/// For `verify` of pages, after they are explained: refuses an option that none of the chapters on them takes, if there
/// are any.
void check_used(const Options& options, const std::vector<const chapters::Chapter*>& chapters);

/// For `verify`, after files are read: refuses a query that is no token of any chapter to try. Throws LessonError.
void check_query(const Options& options);

}  // namespace attn::cli
