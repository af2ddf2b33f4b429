#include <algorithm>

#include "chapters/chapter.hpp"
#include "chapters/own.hpp"

namespace attn::chapters {
namespace {

/// In reading order.
constexpr Topic topics[] = {
    {"average",
     "the mean of all tokens so far: by a loop, by a matrix, by softmax",
     "no-mask",
     "How can a token's vector pick up what came before it, in the simplest way?",
     "It takes the mean of the tokens so far. A matrix of averages computes all means in one product, and softmax of "
     "masked zeros makes the same matrix.",
     "Look at the rows of weights: 1, then two halves, then three thirds; 0 for later tokens.",
     {"compute a mean as a product with a row of weights", "say why softmax of equal scores gives equal weights",
      "say what attention changes: the scores, so that tokens count differently"}},
    {"simplified",
     "attention without weights: one query by hand, then all tokens",
     "softmax-dim-0",
     "How can a token's vector pick up its context, before any training?",
     "Each token compares itself with every token by a dot product; softmax turns a token's scores into weights, and "
     "the weights mix all embeddings into its context vector.",
     "Look for rows that sum to 1, and for the token with the largest weight.",
     {"compute a score, a weight and a context vector by hand",
      "read a matrix of weights: the row is the token that looks, the column the one it looks at",
      "say why the weights of a row sum to 1"}},
    {"trainable",
     "queries, keys and values from trainable weights; then a module",
     "no-scaling",
     "How can a model learn which tokens are relevant to each other?",
     "Three matrices make a query (what a token looks for), a key (what it offers) and a value (what it passes on) of "
     "each embedding; training changes the matrices, so relevance can be learned.",
     "Look at the scores before and after they are divided by the square root of the keys' dimension.",
     {"tell queries, keys and values apart", "follow a score back to the two rows that it is made of",
      "say why scores are scaled"}},
    {"causal",
     "a causal mask: no token sees a later one",
     "no-mask",
     "How can a model learn to predict the next token if it can see it?",
     "It must not see it: the scores of later tokens become -inf before softmax, so their weights are 0 and each token "
     "sees only itself and those before it.",
     "Look above the diagonal: -inf in the scores, 0 in the weights, and rows of weights that still sum to 1.",
     {"draw the mask for any number of tokens", "say why -inf, and not 0, stands before softmax",
      "say what the first token attends to"}},
    {"dropout",
     "which weights dropout keeps, drops and rescales",
     "no-rescale",
     "How do you keep a model from relying on a few attention weights?",
     "During training, dropout sets randomly chosen weights to 0 and multiplies the others by 1 / (1 - p), so that the "
     "mean of each weight stays as it is.",
     "Look at which weights are 0 now, and by which factor the others grew.",
     {"say what p means", "compute the factor of the weights that are kept",
      "say why rows no longer sum to 1, but do on average"}},
    {"multihead",
     "several heads side by side, and how they are combined",
     "same-weights",
     "How can a token attend to several things at once?",
     "Several heads attend side by side, each with its own queries, keys and values; their context vectors are joined "
     "to one.",
     "Look at the weights of two heads: the same tokens, weighed differently.",
     {"say which columns belong to which head", "follow one head from its queries to its part of the result",
      "predict the shapes for another number of heads"}},
    {"cross",
     "queries from one sequence, keys and values from another",
     "same-weights",
     "How can one sequence attend to another?",
     "Queries come from one sequence, keys and values from another: each token of the first mixes values of the "
     "second.",
     "Look at the shape of the weights: a row for each token of the first sequence, a column for each of the second.",
     {"say which tensors come from which sequence", "predict the shapes for sequences of any two lengths",
      "say from which sequence a context vector is mixed"}},
    {"grouped",
     "grouped-query attention: query heads that share keys and values",
     "tiled-heads",
     "How can many heads do with fewer keys and values?",
     "Several query heads share one head of keys and values, so that a model computes and keeps fewer of them.",
     "Look at which query heads meet which keys: neighbours share them.",
     {"say how many heads of keys and values there are, and which query heads share them",
      "predict the shapes for other numbers of heads", "tell heads that are repeated from heads that are tiled"}},
    {"cache",
     "decoding with cached keys and values, a few tokens at a time",
     "mask-from-first-key",
     "Why does a model not compute earlier tokens again for each new one?",
     "Behind a causal mask, earlier tokens never see later ones, so their keys and values stay as they are: a cache "
     "keeps them, and only the new tokens' queries, keys and values are computed.",
     "Look at the scores: rows for the new tokens alone, columns for all tokens so far.",
     {"say what is kept and what is computed again", "predict the shapes for another number of new tokens",
      "say from which key on the mask counts"}},
    {"padding",
     "a batch of sequences of different length: padding is masked",
     "no-mask",
     "How can sequences of different length share a batch?",
     "Shorter ones are padded to the length of the longest. A mask for each sequence hides the keys of its padding, so "
     "that no token attends to it.",
     "Look at the columns of -inf: only in the shorter sequence, and in every row of it.",
     {"draw the mask from the lengths of the sequences", "tell a padding mask from a causal one",
      "say why the keys of padding are masked, and not its queries"}},
    {"online",
     "softmax over blocks of keys, as fused kernels compute it",
     "no-block-rescale",
     "How can softmax be computed when a whole row of scores does not fit into fast memory?",
     "Block by block: a running maximum, a running sum and running weighted values are kept for each row. When a block "
     "raises the maximum, what came before is rescaled.",
     "Look at the factors for earlier blocks: 1 where the maximum stays, less where it grows.",
     {"compute softmax's denominator from two blocks by hand", "say what a fused kernel keeps for each row",
      "say why the result may differ from softmax at once in the last bits"}},
    {"rotary",
     "rotary position embedding: positions turn queries and keys",
     "halves-for-pairs",
     "How does a model know where a token stands, and how far away the others are?",
     "Each position turns pairs of columns of queries and keys by its own angles. Turned by the same angle, two "
     "vectors keep their dot product, so a score depends on how far apart two tokens are.",
     "Look at the last scores, where every position has the same query and the same key: each diagonal holds one "
     "number, up to rounding.",
     {"rotate a pair of columns by hand", "say which columns form a pair in either layout",
      "say why values are not rotated"}},
    {"positions",
     "positions added to the inputs: sines and cosines, or learned embeddings",
     "no-positions",
     "Attention sees a set of tokens: how does it learn their order?",
     "Each position has a vector of its own, which is added to the token's embedding: sines and cosines of fixed "
     "frequencies, or rows of a table that training adjusts.",
     "Look at the products of encodings: along a diagonal they are the same, so they tell how far apart two positions "
     "are.",
     {"compute an encoding by hand", "say what changes without positions if the tokens are reversed",
      "say what a model with learned positions does beyond its context length"}},
    {"bias",
     "linear biases (ALiBi) and a sliding window: near tokens first",
     "bias-sign",
     "How can attention prefer near tokens, and work beyond the longest text of its training?",
     "Each score gets a penalty that grows with the distance, by a slope of its head; or a mask, the window, hides "
     "what is too far away. Neither has anything to learn.",
     "Look at the biases: 0 on the diagonal, and falling to the left of it by the slope of each head. Then look at the "
     "window: no row keeps more weights than it shows.",
     {"compute a bias from a slope and two positions", "say which head sees furthest, and why",
      "tell a window's mask from a causal one"}},
    {"sinks",
     "attention sinks: a score of no token, so that a head can attend to nothing",
     "no-sink",
     "Softmax gives each row a weight of 1 to spread. What if no token is worth attending to?",
     "Each head has a score that belongs to no token, the sink. Softmax gives it a part of the weight, and the part is "
     "dropped: it has no value to add.",
     "Look at the sink's column of weights: largest where the other scores are low. Then at the rows without it: they "
     "sum to less than 1.",
     {"compute a row's weights with the sink and without it", "say what the sink does to the context vectors",
      "say why many models without a sink attend to the first token"}},
    {"backward",
     "the gradients of a causal head, from the loss back to its weights",
     "no-row-sum",
     "How do the weights of a head learn from an error?",
     "The loss says how wrong the context vectors are. Its gradient goes back through every step: a product gives the "
     "gradient of one factor by the other factor, transposed; softmax moves gradient within a row.",
     "Look at the gradient of the scores: 0 for later tokens, and each row sums to 0, since softmax can only shift "
     "weight from one token to another.",
     {"say which factor must be transposed in the gradient of a product", "compute a row of softmax's gradient by hand",
      "say which gradients are needed for W_key"}},
    {"layer",
     "the attention of one layer of a checkpoint",
     "no-mask",
     "What does attention compute in a model that people use?",
     "What the chapters show, with a norm before or after, biases, and the residual: the layer's output is added to "
     "what entered.",
     "Look at the rows of weights: learned heads often give most weight to the first token, the previous one or their "
     "own.",
     {"find a layer's weights among a checkpoint's tensors", "say what a norm does to each token's numbers",
      "say why the output is added to what entered, instead of replacing it"}},
};

const Topic* find_topic(std::string_view chapter) { return std::ranges::find(topics, chapter, &Topic::chapter); }

}  // namespace

const std::vector<std::reference_wrapper<const Article>>& all_articles() {
  static const std::vector<std::reference_wrapper<const Article>> articles = {
      blog::article, primer::article, livebook::article, ahead_of_ai::article, book::article, modern::article,
  };
  return articles;
}

const std::vector<std::reference_wrapper<const Chapter>>& all_chapters() {
  static const std::vector<std::reference_wrapper<const Chapter>> chapters = [] {
    std::vector<std::reference_wrapper<const Chapter>> result;
    for (const Article& article : all_articles()) {
      result.insert(result.end(), article.chapters.begin(), article.chapters.end());
    }
    std::stable_sort(result.begin(), result.end(),
                     [](const Chapter& a, const Chapter& b) { return find_topic(a.name) < find_topic(b.name); });
    return result;
  }();
  return chapters;
}

const Topic& topic_of(std::string_view chapter) {
  static constexpr Topic none = {};
  const Topic* const found = find_topic(chapter);
  return found == std::end(topics) ? none : *found;
}

const WhatIf* telling_what_if(std::string_view name, std::span<const Step> steps) {
  const WhatIf* telling = nullptr;
  for (const WhatIf& what_if : all_what_ifs()) {
    const bool is_own = topic_of(name).what_if == what_if.name;
    if ((telling == nullptr || is_own) && applies(what_if, steps) && why_idle(what_if, steps).empty()) {
      telling = &what_if;
    }
  }
  return telling;
}

Walkthrough walk(const Chapter& chapter, const Lesson& lesson, torch::Torch& torch) {
  const Lesson whole = settled(chapter, lesson);
  Walkthrough walk = run(chapter, whole, torch);
  if (is_made_by_hand(chapter, whole)) {
    return with_hand_made_weights(walk, whole);
  }
  if (whole.weights) {
    return with_own_weights(walk, *whole.weights, torch.kernels());
  }
  return walk;
}

std::vector<const WhatIf*> what_ifs(const Chapter& chapter) {
  const Lesson lesson;
  torch::Torch torch({}, lesson.dropout_kernel, torch::Torch::Mode::plan);
  const Walkthrough planned = walk(chapter, lesson, torch);
  std::vector<const WhatIf*> result;
  for (const WhatIf& what_if : all_what_ifs()) {
    if (applies(what_if, planned.steps())) {
      result.push_back(&what_if);
    }
  }
  return result;
}

}  // namespace attn::chapters
