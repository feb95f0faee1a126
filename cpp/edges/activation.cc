// Algorithm 3: from seeds along their edges to targets, by the similarity of questions.
//
// Idea: an edge points to its question's numbers, so an expansion looks nothing up on its way. The
// question's quantised row (scalar quantisation to int8 with an error bound, a quarter of the
// memory) gives an upper bound of its cosine. Questions whose bound is below gamma are skipped;
// only the others are compared in full, each once. Invariant: the bound always holds, so the result
// equals that of comparing every question in full.
//
// Cost: nearly all the time is cache misses, because edges and questions are scattered in memory.
// So each step runs for all edges before the next step, and prefetches what the next will read.
#include <algorithm>
#include <array>

#include "base/dense_ids.h"
#include "base/error.h"
#include "edges/edges.h"
#include "edges/question.h"
#include "vectors/rows/quantised_rows.h"

namespace knarr {

struct EdgeStore::SeedEdge {
  Activation edge;
  const EdgeState* state;
};

namespace {

// Prefetches memory that is read a little later.
void fetch(const void* memory, std::size_t size) {
  const auto* bytes = static_cast<const char*>(memory);
  for (std::size_t at = 0; at < size; at += 64) __builtin_prefetch(bytes + at);
}

// Distinct seeds, in order.
std::vector<NodeId> distinct(std::span<const NodeId> seeds) {
  DenseIds<NodeId> number_of(seeds.size());
  std::vector<NodeId> out;
  out.reserve(seeds.size());
  for (const NodeId seed : seeds) {
    if (number_of(seed).is_new) out.push_back(seed);
  }
  return out;
}

}  // namespace

// The seeds' edges that are active, not expired and for the audiences asked for, in the order of
// the seeds, then by target and episode. What is left out here takes no target's place.
std::vector<EdgeStore::SeedEdge> EdgeStore::seed_edges(std::span<const NodeId> seeds,
                                                       const ExpandOptions& options) const {
  std::vector<Triple> keys;
  for (const NodeId seed : distinct(seeds)) keys.push_back({seed, 0, 0});
  std::vector<CowTree<Triple, EdgeState>::Cursor> places(keys.size());
  forward_.lower_bounds(std::span<const Triple>(keys), std::span(places));
  std::vector<SeedEdge> out;
  out.reserve(16 * keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const NodeId seed = keys[i].a;
    for (auto& at = places[i]; at.valid() && at.key().a == seed; at.next()) {
      out.push_back({{at.key().b, seed, at.key().c, 0.0f}, &at.value()});
      __builtin_prefetch(out.back().state);
    }
  }
  const auto is_for = [&](Audience audience) {
    return options.audiences == nullptr || audience == kEverybody ||
           options.audiences->contains(audience);
  };
  std::erase_if(out, [&](const SeedEdge& each) {
    return !each.state->active || each.state->expires_at_s <= options.now_s ||
           !is_for(each.state->audience);
  });
  return out;
}

// The similarity of each question to `unit`: exact where it is at least gamma, and some number
// below gamma where it is not.
class EdgeStore::Comparison {
 public:
  Comparison(std::span<const float> unit, float gamma)
      : unit_(unit), shape_(unit.size()), query_(unit, shape_), bound_(query_.bound(gamma)) {}

  // Adds a question that was not added before.
  void add(const float* question) {
    questions_.push_back(question);
    fetch(quantised_row(question), shape_.size_bytes);
    if (questions_.size() - similarities_.size() == kBlock) compare();
  }

  // The similarities of all questions, in the order in which they were added.
  const std::vector<float>& similarities() {
    compare();
    return similarities_;
  }

 private:
  static constexpr std::size_t kBlock =
      256;                                  // questions whose quantised rows are compared together
  static constexpr std::size_t kAhead = 6;  // full vectors that are prefetched
  static constexpr float kUnlike = -2;      // below every cosine

  const std::byte* quantised_row(const float* question) const {
    return Question::quantised_row(question, unit_.size());
  }

  void compare() {
    const std::span<const float* const> block = std::span(questions_).subspan(similarities_.size());
    std::vector<std::size_t> near;
    for (std::size_t i = 0; i < block.size(); ++i) rows_[i] = quantised_row(block[i]);
    const QueryBytes bytes = query_.bytes();
    quantised_cosines()(rows_.data(), block.size(), &bytes, 1, shape_.numbers, cosines_.data(),
                        block.size(), slacks_.data());
    for (std::size_t i = 0; i < block.size(); ++i) {
      if (bound_.is_within(cosines_[i], slacks_[i])) near.push_back(similarities_.size());
      similarities_.push_back(kUnlike);
    }
    const auto ask_for = [&](std::size_t i) {
      if (i < near.size()) fetch(questions_[near[i]], unit_.size_bytes());
    };
    for (std::size_t i = 0; i < kAhead; ++i) ask_for(i);
    for (std::size_t i = 0; i < near.size(); ++i) {
      ask_for(i + kAhead);
      const double cosine = product({questions_[near[i]], unit_.size()}, unit_);
      similarities_[near[i]] = static_cast<float>(std::clamp(cosine, -1.0, 1.0));
    }
  }

  std::span<const float> unit_;
  QuantisedShape shape_;
  QuantisedQuery query_;
  QuantisedBound bound_;
  std::vector<const float*> questions_;
  std::vector<float> similarities_;  // of the questions compared so far
  std::array<const std::byte*, kBlock> rows_;
  std::array<float, kBlock> cosines_, slacks_;
};

std::vector<Activation> EdgeStore::expand(std::span<const NodeId> seeds,
                                          std::span<const float> query,
                                          const ExpandOptions& options) const {
  const std::vector<float> unit = normalised(query);
  if (!(options.gamma >= -1.0f && options.gamma <= 1.0f)) {
    fail(ErrorCode::kInvalidArgument,
         "gamma: expected -1 to 1, got " + std::to_string(options.gamma));
  }
  if (edge_count() == 0) return {};
  const std::vector<SeedEdge> edges = seed_edges(seeds, options);
  Comparison comparison(unit, options.gamma);
  DenseIds<const float*> question_number(edges.size());
  std::vector<std::uint32_t> questions;
  questions.reserve(edges.size());
  for (const SeedEdge& each : edges) {
    const auto [number, is_new] = question_number(each.state->question);
    if (is_new) comparison.add(each.state->question);
    questions.push_back(number);
  }
  const std::vector<float>& similarities = comparison.similarities();

  std::vector<Activation> found;
  DenseIds<NodeId> place_of(edges.size());
  for (std::size_t i = 0; i < edges.size(); ++i) {
    Activation edge = edges[i].edge;
    edge.similarity = similarities[questions[i]];
    if (edge.similarity < options.gamma) continue;
    const auto [place, is_new] = place_of(edge.target);
    if (is_new) {
      found.push_back(edge);
    } else if (edge.similarity > found[place].similarity) {
      found[place] = edge;
    }
  }
  std::sort(found.begin(), found.end(), [](const Activation& a, const Activation& b) {
    return a.similarity != b.similarity ? a.similarity > b.similarity : a.target < b.target;
  });
  return found;
}

}  // namespace knarr
