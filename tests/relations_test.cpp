// What a printed tensor follows from, in one small lesson.

#include "verify/explain/finding.hpp"

#include "made.hpp"
#include "torch/print.hpp"
#include "verify/page/page.hpp"

namespace {

using namespace attn;
using namespace attn::verify;

/// The tensors of a small lesson, as they are printed, by name.
const std::map<std::string, std::string>& lesson() {
  static const std::map<std::string, std::string> texts = [] {
    torch::Torch torch({}, {}, torch::Torch::Mode::compute);
    torch.manual_seed(torch::Seed(8));
    std::map<std::string, Tensor> all;
    const auto let = [&](const char* name, const Tensor& tensor) { return all.emplace(name, tensor).first->second; };
    const Tensor inputs = let("inputs", torch.rand({5, 3}));
    const Tensor queries = let("queries", matmul(inputs, let("W_query", torch.rand({3, 2}))));
    const Tensor keys = let("keys", matmul(inputs, let("W_key", torch.rand({3, 2}))));
    const Tensor values = let("values", matmul(inputs, let("W_value", torch.rand({3, 2}))));
    const Tensor scores = let("scores", matmul(queries, t(keys)));
    const Tensor weights = let("weights", softmax(let("scaled", scale(scores, keys))));
    const Tensor masked = let("masked", masked_fill(weights, torch::causal_mask(5), 0));
    const Tensor hidden = let("hidden", masked_fill(scores, torch::causal_mask(5), -INFINITY));
    const Tensor causal = let("causal", softmax(scale(hidden, keys)));
    let("context", matmul(weights, values));
    let("renormalised", divide(masked, sum(masked, true)));
    let("dropped", torch.dropout(causal, 0.5).output);
    let("one_scores", index(scores, 1));
    let("flat", view(queries, {2, 5}));
    let("batch", stack(values, 2));
    let("both", cat({queries, values}, 1));
    std::map<std::string, std::string> printed;
    for (const auto& [name, tensor] : all) {
      printed[name] = torch::format_tensor(*contiguous(tensor).array().contents(), {}, {});
    }
    return printed;
  }();
  return texts;
}

/// A tensor of the lesson, or what is written out.
std::string shown(const std::string& words) { return lesson().contains(words) ? lesson().at(words) : words; }

/// Puts the cells in another order.
void shuffle(Observed& observed, std::mt19937& random) {
  std::vector<std::size_t> order(observed.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::shuffle(order, random);
  const auto in_order = [&](const std::vector<double>& numbers) {
    std::vector<double> result;
    std::ranges::transform(order, std::back_inserter(result), [&](std::size_t i) { return numbers[i]; });
    return result;
  };
  observed.values = in_order(observed.values);
  observed.radii = in_order(observed.radii);
}

/// The numbers of the last tensor of a page whose text outlives it.
Observed observed(const std::string& words) {
  const Page page = parse_page("page.txt", shown(words) + "\n");
  return shown_of(find_printed(page).at(0)).value();
}

/// A page that printed some tensors, which are called "a", "b", "c", ... in this order.
Relations after(const std::vector<std::string>& printed) {
  Relations relations;
  for (std::size_t i = 0; i < printed.size(); ++i) {
    relations.add({observed(printed[i]), std::string(1, static_cast<char>('a' + i)), i, i == 0});
  }
  return relations;
}

std::string relation(const std::vector<std::string>& printed, const std::string& target) {
  const auto found = after(printed).find(observed(target));
  return found ? found->words : "";
}

/// What a tensor follows from.
struct Row {
  std::vector<std::string> printed;
  std::string target;
  std::string words;  ///< empty: nothing
};

}  // namespace

TEST_SUITE("relations: what follows") {
  TEST_CASE("the simplest relation to the nearest tensors is found") {
    const std::string tril = "tensor([[1., 0., 0.], [1., 1., 0.], [1., 1., 1.]])";
    const std::vector<Row> rows = {
        {{"queries"}, "queries", "a"},
        {{"queries", "keys", "queries"}, "queries", "c"},
        {{"queries"}, "flat", "a.view(2, 5)"},
        {{"both"}, "values", "a[:, 2:4]"},
        {{"batch"}, "values", "a[0]"},
        {{"scores"}, "weights", "torch.softmax(a / 2**0.5, dim=-1)"},
        {{"scores"}, "causal", "torch.softmax(a.masked_fill(causal mask, -torch.inf) / 2**0.5, dim=-1)"},
        {{"hidden"}, "causal", "torch.softmax(a / 2**0.5, dim=-1)"},
        {{"scores"}, "hidden", "a.masked_fill(causal mask, -torch.inf)"},
        {{"weights"}, "masked", "a.masked_fill(causal mask, 0.0)"},
        {{"masked"}, "renormalised", "a / a.sum(dim=-1, keepdim=True)"},
        {{"causal"}, "dropped", "nn.Dropout(0.5)(a)"},
        {{"scores"}, "scaled", "a / 2**0.5"},
        {{"inputs", "W_query"}, "queries", "a @ b"},
        {{"queries", "keys"}, "scores", "a @ b.T"},
        {{"weights", "values"}, "context", "a @ b"},
        {{"queries", "keys"}, "one_scores", "a[1] @ b.T"},
        {{"queries", "keys"}, "weights", "torch.softmax((a @ b.T) / 2**0.5, dim=-1)"},
        {{}, tril, "torch.tril(torch.ones(3, 3))"},
        {{}, "tensor([[1., 0.], [1., 1.]])", ""},
        {{"inputs"}, "queries", ""},
        {{"inputs", "W_query", "W_key"}, "scores", ""},
    };
    for (const Row& row : rows) {
      CAPTURE(row.target);
      CHECK(relation(row.printed, row.target) == row.words);
    }
  }

  TEST_CASE("a relation is rooted if all its sources are") {
    CHECK(after({"inputs"}).find(observed("inputs"))->is_rooted);
    CHECK_FALSE(after({"inputs", "W_query"}).find(observed("queries"))->is_rooted);
  }

  TEST_CASE("a tensor without zeros is not dropout") {
    // torch.randn(2, 4) after torch.manual_seed(1), and twice as much
    const std::string x = "tensor([[0.6614, 0.2669, 0.0617, 0.6213], [-0.4519, -0.1661, -1.5228, 0.3817]])";
    const std::string twice = "tensor([[1.3227, 0.5338, 0.1234, 1.2426], [-0.9038, -0.3323, -3.0455, 0.7634]])";
    CHECK(relation({x}, twice).empty());
  }
}

TEST_SUITE("relations: what chance may do counts nothing") {
  TEST_CASE("scalars, constants and tensors of 0 and 1") {
    CHECK(relation({"tensor(0.4227)"}, "tensor(0.4227)").empty());
    CHECK(relation({"tensor([1., 1., 1., 1., 1., 1.])"}, "tensor([1., 1., 1., 1., 1., 1.])").empty());
    CHECK(relation({"tensor([1., 0., 1., 1.])"}, "tensor([1., 0., 1., 1.])").empty());
    CHECK(relation({"weights"}, "tensor([1.0000, 1.0000, 1.0000, 1.0000, 1.0000])").empty());
    CHECK(relation({"weights"}, "tensor([0.2000, 0.2000, 0.2000, 0.2000, 0.2000])").empty());
  }

  TEST_CASE("the same cells in another order have no relation") {
    std::mt19937 random(1);
    const std::vector<std::string> all{"inputs", "W_query", "W_key",  "W_value", "queries", "keys",   "values",
                                       "scores", "weights", "masked", "hidden",  "causal",  "dropped"};
    for (const char* one : {"queries", "scores", "weights", "context", "causal", "dropped"}) {
      for (int i = 0; i < 50; ++i) {
        Observed target = observed(one);
        shuffle(target, random);
        const auto found = after(all).find(target);
        CHECK_MESSAGE(!found, found->words);
      }
    }
  }
}
