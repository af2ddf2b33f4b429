#include "verify/relate/relate.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace attn::verify {
namespace {

constexpr std::size_t window = 32;
constexpr std::size_t most_cells = 20'000;

bool is_same(const Grid& a, const Grid& b) {
  return a.shape == b.shape && std::ranges::equal(a.cells, b.cells, [](const Interval& x, const Interval& y) {
           return x.low == y.low && x.high == y.high;
         });
}

/// The relation with its sources' places on the page.
Relation resolved(Relation relation, std::span<const Source> sources) {
  relation.is_rooted = relation.form < Form::fit;
  std::vector<std::size_t> places;
  for (const std::size_t source : relation.sources) {
    relation.is_rooted = relation.is_rooted && sources[source].is_rooted;
    if (sources[source].position > 0) {
      places.push_back(sources[source].position);
    }
  }
  relation.sources = std::move(places);
  return relation;
}

}  // namespace

void Relater::add(Source source) {
  if (source.grid.cells.size() > most_cells) {
    return;
  }
  const auto same = std::ranges::find_if(sources_, [&](const Source& other) {
    return other.position > 0 && source.position > 0 && is_same(other.grid, source.grid);
  });
  if (same != sources_.end()) {
    source.is_rooted = source.is_rooted || same->is_rooted;
    sources_.erase(same);
  }
  sources_.push_back(std::move(source));
  const auto is_printed = [](const Source& other) { return other.position > 0; };
  if (static_cast<std::size_t>(std::ranges::count_if(sources_, is_printed)) > window) {
    sources_.erase(std::ranges::find_if(sources_, is_printed));
  }
}

std::optional<Relation> Relater::try_all(const Grid& target, std::size_t most_failing) {
  if (target.cells.size() > most_cells) {
    return std::nullopt;
  }
  constexpr std::int64_t operations = 20;
  patience_ -= static_cast<std::int64_t>(target.cells.size() * sources_.size()) * operations;
  if (patience_ <= 0) {
    return std::nullopt;
  }
  std::vector<Source> sound;
  if (most_failing > 0) {
    std::ranges::copy_if(sources_, std::back_inserter(sound), &Source::is_sound);
  }
  const std::vector<Source>& sources = most_failing > 0 ? sound : sources_;
  Trial trial(target, sources, most_failing, patience_);
  if (!trial.is_near_miss()) {
    try_equal(trial);
    if (!trial.best()) {
      try_views(trial);
    }
    if (!trial.best()) {
      try_constants(trial);
    }
  }
  if (!trial.best()) {
    try_operations(trial, givens_);
  }
  if (!trial.has(Form::operation) || trial.is_near_miss()) {
    const Operands operands = operands_of(sources);
    try_products(trial, operands);
    if (!trial.has(Form::product) || trial.is_near_miss()) {
      try_layers(trial, operands, givens_);
    }
  }
  return trial.best() ? std::optional(resolved(*trial.best(), sources)) : std::nullopt;
}

std::optional<Relation> Relater::find_fit(const Grid& target) {
  Trial trial(target, sources_, 0, patience_);
  if (patience_ > 0) {
    try_fits(trial);
  }
  return trial.best() ? std::optional(resolved(*trial.best(), sources_)) : std::nullopt;
}

std::optional<Relation> Relater::find(const Grid& target, bool is_fit) {
  const auto look = [&](const Grid& grid) { return is_fit ? find_fit(grid) : try_all(grid, 0); };
  if (auto relation = look(target)) {
    return relation;
  }
  if (target.rank() < 3 || target.shape[0] < 2) {
    return std::nullopt;
  }
  const Grid first = item(target, 0, 0);
  for (std::int64_t i = 1; i < target.shape[0]; ++i) {
    if (!is_same(first, item(target, 0, i))) {
      return std::nullopt;
    }
  }
  auto relation = look(first);
  if (relation) {
    relation->words = "torch.stack((" + relation->words + ",) * " + std::to_string(target.shape[0]) + ")";
  }
  return relation;
}

std::optional<Relation> Relater::find(const Grid& target) { return find(target, false); }

std::optional<Relation> Relater::find_with_unknown_weights(const Grid& target) { return find(target, true); }

std::optional<Relation> Relater::find_property(const Grid& target) {
  Trial trial(target, sources_, 0, patience_);
  try_properties(trial);
  return trial.best() ? std::optional(resolved(*trial.best(), sources_)) : std::nullopt;
}

std::optional<Relation> Relater::find_near_miss(const Grid& target) {
  constexpr std::size_t least_cells = 5;  // of fewer, those that hold say too little
  if (target.cells.size() < least_cells) {
    return std::nullopt;
  }
  return try_all(target, few_of(target));
}

}  // namespace attn::verify
