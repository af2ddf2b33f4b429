// What a printed tensor follows from. The numbers are PyTorch's, of one small lesson:
//   x = round(rand(5, 3), 2), three rand(3, 2), and all that follows.

#include "verify/explain/relations.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <numeric>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "verify/page/page.hpp"
#include "verify/page/printed.hpp"

namespace {

using namespace attn;
using namespace attn::verify;

const char* const inputs = R"(tensor([[0.0800, 0.5100, 0.1200],
        [0.5300, 0.5600, 0.0100],
        [0.1200, 0.3100, 0.3600],
        [0.4700, 0.1400, 0.5100],
        [0.7000, 0.9100, 0.4600]]))";
const char* const W_query = R"(tensor([[4.6538e-01, 9.0586e-01],
        [3.1543e-04, 9.2280e-01],
        [9.7656e-01, 7.3616e-01]]))";
const char* const W_key = R"(tensor([[0.5899, 0.9878],
        [0.4784, 0.9934],
        [0.2354, 0.0468]]))";
const char* const W_value = R"(tensor([[0.6097, 0.7324],
        [0.9885, 0.5921],
        [0.9696, 0.9935]]))";
const char* const queries = R"(tensor([[0.1546, 0.6314],
        [0.2566, 1.0042],
        [0.4075, 0.6598],
        [0.7168, 0.9304],
        [0.7753, 1.8125]]))";
const char* const keys = R"(tensor([[0.3194, 0.5913],
        [0.5829, 1.0803],
        [0.3038, 0.4433],
        [0.4643, 0.6272],
        [0.9566, 1.6170]]))";
const char* const values = R"(tensor([[0.6693, 0.4798],
        [0.8864, 0.7297],
        [0.7286, 0.6291],
        [0.9194, 0.9338],
        [1.7723, 1.5086]]))";
const char* const scores = R"(tensor([[0.4227, 0.7723, 0.3269, 0.4678, 1.1689],
        [0.6757, 1.2345, 0.5232, 0.7490, 1.8693],
        [0.5203, 0.9503, 0.4163, 0.6031, 1.4567],
        [0.7791, 1.4230, 0.6303, 0.9164, 2.1902],
        [1.3193, 2.4100, 1.0391, 1.4968, 3.6724]]))";
const char* const weights = R"(tensor([[0.1683, 0.2155, 0.1573, 0.1737, 0.2852],
        [0.1479, 0.2196, 0.1328, 0.1558, 0.3440],
        [0.1591, 0.2157, 0.1479, 0.1687, 0.3086],
        [0.1372, 0.2162, 0.1235, 0.1511, 0.3720],
        [0.0962, 0.2080, 0.0789, 0.1091, 0.5079]]))";
const char* const context = R"(tensor([[1.0835, 0.9295],
        [1.1432, 0.9791],
        [1.1075, 0.9498],
        [1.1717, 1.0036],
        [1.3066, 1.1155]]))";
const char* const masked = R"(tensor([[0.1683, 0.0000, 0.0000, 0.0000, 0.0000],
        [0.1479, 0.2196, 0.0000, 0.0000, 0.0000],
        [0.1591, 0.2157, 0.1479, 0.0000, 0.0000],
        [0.1372, 0.2162, 0.1235, 0.1511, 0.0000],
        [0.0962, 0.2080, 0.0789, 0.1091, 0.5079]]))";
const char* const renormalised = R"(tensor([[1.0000, 0.0000, 0.0000, 0.0000, 0.0000],
        [0.4025, 0.5975, 0.0000, 0.0000, 0.0000],
        [0.3045, 0.4127, 0.2829, 0.0000, 0.0000],
        [0.2184, 0.3443, 0.1966, 0.2407, 0.0000],
        [0.0962, 0.2080, 0.0789, 0.1091, 0.5079]]))";
const char* const hidden = R"(tensor([[0.4227,   -inf,   -inf,   -inf,   -inf],
        [0.6757, 1.2345,   -inf,   -inf,   -inf],
        [0.5203, 0.9503, 0.4163,   -inf,   -inf],
        [0.7791, 1.4230, 0.6303, 0.9164,   -inf],
        [1.3193, 2.4100, 1.0391, 1.4968, 3.6724]]))";
const char* const causal = R"(tensor([[1.0000, 0.0000, 0.0000, 0.0000, 0.0000],
        [0.4025, 0.5975, 0.0000, 0.0000, 0.0000],
        [0.3045, 0.4127, 0.2829, 0.0000, 0.0000],
        [0.2184, 0.3443, 0.1966, 0.2407, 0.0000],
        [0.0962, 0.2080, 0.0789, 0.1091, 0.5079]]))";
const char* const dropped = R"(tensor([[2.0000, 0.0000, 0.0000, 0.0000, 0.0000],
        [0.0000, 1.1950, 0.0000, 0.0000, 0.0000],
        [0.6089, 0.8253, 0.5658, 0.0000, 0.0000],
        [0.4368, 0.0000, 0.0000, 0.4813, 0.0000],
        [0.1924, 0.4160, 0.0000, 0.0000, 1.0157]]))";
const char* const one_scores = R"(tensor([0.6757, 1.2345, 0.5232, 0.7490, 1.8693]))";
const char* const flat = R"(tensor([[0.1546, 0.6314, 0.2566, 1.0042, 0.4075],
        [0.6598, 0.7168, 0.9304, 0.7753, 1.8125]]))";
const char* const batch = R"(tensor([[[0.6693, 0.4798],
         [0.8864, 0.7297],
         [0.7286, 0.6291],
         [0.9194, 0.9338],
         [1.7723, 1.5086]],

        [[0.6693, 0.4798],
         [0.8864, 0.7297],
         [0.7286, 0.6291],
         [0.9194, 0.9338],
         [1.7723, 1.5086]]]))";
const char* const both = R"(tensor([[0.1546, 0.6314, 0.6693, 0.4798],
        [0.2566, 1.0042, 0.8864, 0.7297],
        [0.4075, 0.6598, 0.7286, 0.6291],
        [0.7168, 0.9304, 0.9194, 0.9338],
        [0.7753, 1.8125, 1.7723, 1.5086]]))";

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
Observed observed(const std::string& text) {
  const Page page = parse_page("page.txt", text + "\n");
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

/// scores / 2**0.5, by torch
const char* const scaled = R"(tensor([[0.2989, 0.5461, 0.2312, 0.3308, 0.8265],
        [0.4778, 0.8729, 0.3700, 0.5296, 1.3218],
        [0.3679, 0.6720, 0.2944, 0.4265, 1.0300],
        [0.5509, 1.0062, 0.4457, 0.6480, 1.5487],
        [0.9329, 1.7041, 0.7348, 1.0584, 2.5968]]))";

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
        {{queries}, queries, "a"},
        {{queries, keys, queries}, queries, "c"},
        {{queries}, flat, "a.view(2, 5)"},
        {{both}, values, "a[:, 2:4]"},
        {{batch}, values, "a[0]"},
        {{scores}, weights, "torch.softmax(a / 2**0.5, dim=-1)"},
        {{scores}, causal, "torch.softmax(a.masked_fill(causal mask, -torch.inf) / 2**0.5, dim=-1)"},
        {{hidden}, causal, "torch.softmax(a / 2**0.5, dim=-1)"},
        {{scores}, hidden, "a.masked_fill(causal mask, -torch.inf)"},
        {{weights}, masked, "a.masked_fill(causal mask, 0.0)"},
        {{masked}, renormalised, "a / a.sum(dim=-1, keepdim=True)"},
        {{causal}, dropped, "nn.Dropout(0.5)(a)"},
        {{scores}, scaled, "a / 2**0.5"},
        {{inputs, W_query}, queries, "a @ b"},
        {{queries, keys}, scores, "a @ b.T"},
        {{weights, values}, context, "a @ b"},
        {{queries, keys}, one_scores, "a[1] @ b.T"},
        {{queries, keys}, weights, "torch.softmax((a @ b.T) / 2**0.5, dim=-1)"},
        {{}, tril, "torch.tril(torch.ones(3, 3))"},
        {{}, "tensor([[1., 0.], [1., 1.]])", ""},
        {{inputs}, queries, ""},
        {{inputs, W_query, W_key}, scores, ""},
    };
    for (const Row& row : rows) {
      CAPTURE(row.target);
      CHECK(relation(row.printed, row.target) == row.words);
    }
  }

  TEST_CASE("a relation is rooted if all its sources are") {
    CHECK(after({inputs}).find(observed(inputs))->is_rooted);
    CHECK_FALSE(after({inputs, W_query}).find(observed(queries))->is_rooted);
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
    CHECK(relation({weights}, "tensor([1.0000, 1.0000, 1.0000, 1.0000, 1.0000])").empty());
    CHECK(relation({weights}, "tensor([0.2000, 0.2000, 0.2000, 0.2000, 0.2000])").empty());
  }

  TEST_CASE("the same cells in another order have no relation") {
    std::mt19937 random(1);
    const std::vector<std::string> all{inputs, W_query, W_key,  W_value, queries, keys,   values,
                                       scores, weights, masked, hidden,  causal,  dropped};
    for (const char* one : {queries, scores, weights, context, causal, dropped}) {
      for (int i = 0; i < 50; ++i) {
        Observed target = observed(one);
        shuffle(target, random);
        const auto found = after(all).find(target);
        CHECK_MESSAGE(!found, found->words);
      }
    }
  }
}
