#include "walk/drawn_words.hpp"

#include <algorithm>
#include <string>

#include "tensor/operations.hpp"
#include "torch/generator.hpp"

namespace attn {

Walkthrough drawn_words(const Walkthrough& walk) {
  Walkthrough words;
  torch::Generator generator(0);
  const torch::Draw* last = nullptr;
  for (const torch::Draw& draw : walk.draws().draws) {
    const torch::Seed& seed = walk.draws().seeds.at(draw.seeding);
    if (last == nullptr || last->seeding != draw.seeding) {
      generator.manual_seed(seed);
    }
    last = &draw;
    if (draw.count == 0) {
      continue;
    }
    generator.discard(draw.first - generator.count());
    const Shape shape = {static_cast<std::int64_t>(draw.count)};
    Block<std::int64_t> drawn(shape);
    std::generate_n(drawn.data(), drawn.size(), [&generator] { return generator.random(); });
    const auto step = std::ranges::find_if(walk.steps(), [&draw](const Step& one) {
      return one.kind == Step::Kind::tensor && data_of(*one.tensor).id() == draw.leaf.id();
    });
    const bool is_shown = step != walk.steps().end();
    const std::string expression = draw.leaf.operation().words({});
    const std::string module = draw.module + (draw.leaf.dim() == 1 ? ".bias" : ".weight");
    words.section(is_shown ? step->section : "");
    words.show(is_shown              ? step->name
               : draw.module.empty() ? expression
                                     : module,
               expression + ": words " + std::to_string(draw.first) + " to " +
                   std::to_string(draw.first + draw.count - 1) + " after torch.manual_seed(" + seed.text() + ")\n",
               leaf(shape, DType::int64, expression, [drawn = std::move(drawn)]() -> Contents { return drawn; }));
  }
  return words;
}

}  // namespace attn
