// EdgeStore beside a reference model, a vector of structs; EDGE-01 and EDGE-02 at this level.
#include "edges/edges.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <set>
#include <tuple>

#include "base/error.h"
#include "edges/edges_codec.h"
#include "error_code.h"
#include "snapshot/snapshot.h"

namespace knarr {
namespace {

using Ends = std::vector<EdgeEnds>;
using Vector = std::vector<float>;

NodeId pick(std::mt19937& random, unsigned below) { return static_cast<NodeId>(random() % below); }

std::vector<Activation> expand(const EdgeStore& edges, const std::vector<NodeId>& seeds,
                               const Vector& query, EdgeStore::ExpandOptions options = {}) {
  return edges.expand(seeds, query, options);
}

std::vector<NodeId> targets(const std::vector<Activation>& found) {
  std::vector<NodeId> out;
  for (const Activation& each : found) out.push_back(each.target);
  return out;
}

TEST(Edges, LeadFromSeedsToTargetsOfSimilarQuestions) {
  EdgeStore edges(2);
  edges.add({"near", Vector{1, 0.1f}, "t1", "read it"}, Ends{{1, 10}, {1, 11}});
  edges.add({"far", Vector{0, 1}, "t2", ""}, Ends{{1, 12}});
  edges.add({"exact", Vector{3, 0}, "t3", ""}, Ends{{2, 11}});
  const auto found = expand(edges, {1, 2}, {1, 0});
  EXPECT_EQ(targets(found), (std::vector<NodeId>{11, 10}));
  EXPECT_FLOAT_EQ(found[0].similarity, 1.0f);
  EXPECT_EQ(found[0].source, 2u);  // the better of its two edges
  EXPECT_EQ(edges.episode(found[1].episode).question, "near");
  EXPECT_EQ(edges.episode(found[1].episode).trace, "t1");
  EXPECT_EQ(edges.episode(found[1].episode).summary, "read it");
  EXPECT_EQ(targets(expand(edges, {1}, {1, 0}, {.gamma = -1.0f})),
            (std::vector<NodeId>{10, 11, 12}));
  EXPECT_TRUE(expand(edges, {3}, {1, 0}).empty());
}

TEST(Edges, ExpiryAndQuarantineShutTargetsOut) {
  EdgeStore edges(1);
  edges.add({"q", Vector{1}, "t1", "", 100}, Ends{{1, 10}});
  edges.add({"q", Vector{1}, "t2", ""}, Ends{{1, 11}, {1, 12}});
  EXPECT_EQ(targets(expand(edges, {1}, {1}, {.now_s = 99})), (std::vector<NodeId>{10, 11, 12}));
  EXPECT_EQ(targets(expand(edges, {1}, {1}, {.now_s = 100})), (std::vector<NodeId>{11, 12}));
  EXPECT_EQ(edges.set_trace_active("t2", false), 2u);
  EXPECT_EQ(edges.set_trace_active("t2", false), 0u);
  EXPECT_EQ(targets(expand(edges, {1}, {1})), (std::vector<NodeId>{10}));
  EXPECT_EQ(edges.add({"q", Vector{1}, "t2", ""}, Ends{{1, 11}}), 0u);  // a replay frees nothing
  EXPECT_EQ(targets(expand(edges, {1}, {1})), (std::vector<NodeId>{10}));
  EXPECT_EQ(edges.set_trace_active("t2", true), 2u);
  EXPECT_EQ(edges.remove_expired(100), 1u);
  EXPECT_EQ(targets(expand(edges, {1}, {1})), (std::vector<NodeId>{11, 12}));
}

TEST(Edges, ABetterEdgeOfAnotherAudienceHidesNothing) {
  EdgeStore edges(2);
  edges.add({"near", Vector{1, 0}, "t", "", kNeverExpires, 7}, Ends{{1, 10}, {1, 11}});
  edges.add({"less near", Vector{1, 0.2f}, "t", ""}, Ends{{1, 10}});
  const RowSet none, seventh = RowSet::range(7, 8);
  const auto all = expand(edges, {1}, {1, 0});
  EXPECT_EQ(targets(all), (std::vector<NodeId>{10, 11}));
  EXPECT_EQ(edges.episode(all[0].episode).question, "near");
  const auto everybody = expand(edges, {1}, {1, 0}, {.audiences = &none});
  EXPECT_EQ(targets(everybody), std::vector<NodeId>{10});
  EXPECT_EQ(edges.episode(everybody[0].episode).question, "less near");
  EXPECT_EQ(expand(edges, {1}, {1, 0}, {.audiences = &seventh}), all);
  // An episode for another audience is another, whose edges are its own.
  EXPECT_EQ(edges.add({"near", Vector{1, 0}, "t", ""}, Ends{{1, 11}}), 1u);
  EXPECT_EQ(targets(expand(edges, {1}, {1, 0}, {.audiences = &none})),
            (std::vector<NodeId>{11, 10}));
  EXPECT_EQ(edges.remove_trace("t"), 4u);
}

TEST(Edges, Edge01EachEpisodeCountsOnce) {
  EdgeStore edges(2);
  const Vector vector{1, 0};
  const Ends evidence{{1, 10}, {1, 11}};
  EXPECT_EQ(edges.add({"q", vector, "first", ""}, evidence), 2u);
  for (int replay = 0; replay < 5; ++replay) {
    EXPECT_EQ(edges.add({"q", vector, "first", ""}, evidence), 0u);
  }
  EXPECT_EQ(edges.weight(1, 10), 1u);
  EXPECT_EQ(edges.edge_count(), 2u);
  const EdgeStore before = edges;
  EXPECT_EQ(edges.add({"q", vector, "second", ""}, Ends{{1, 10}}), 1u);
  EXPECT_EQ(edges.weight(1, 10), 2u);
  EXPECT_EQ(edges.weight(1, 11), 1u);
  EXPECT_EQ(edges.question_count(), 1u);  // one vector for both
  EXPECT_EQ(targets(expand(edges, {1}, vector)), (std::vector<NodeId>{10, 11}));
  EXPECT_EQ(edges.remove_trace("second"), 1u);  // exactly what was before
  EXPECT_EQ(edges.weight(1, 10), 1u);
  EXPECT_EQ(expand(edges, {1}, vector), expand(before, {1}, vector));
  EXPECT_EQ(edges.remove_trace("second"), 0u);
}

TEST(Edges, Edge02NothingOutlivesItsEnds) {
  EdgeStore edges(2);
  edges.add({"q1", Vector{1, 0}, "t", ""}, Ends{{1, 10}, {10, 2}, {3, 4}});
  edges.add({"q2", Vector{0, 1}, "t", ""}, Ends{{10, 10}});
  EXPECT_EQ(edges.remove_node(10), 3u);
  EXPECT_EQ(edges.edge_count(), 1u);
  EXPECT_EQ(edges.question_count(), 1u);  // q2 went with its only edge
  EXPECT_EQ(edges.episode_count(), 1u);
  EXPECT_TRUE(expand(edges, {1, 10}, {1, 0}, {.gamma = -1.0f}).empty());
  EXPECT_EQ(edges.remove_node(10), 0u);
  EXPECT_EQ(edges.remove_nodes(std::vector<NodeId>{5, 4, 4}), 1u);
  EXPECT_EQ(edges.question_count(), 0u);
  // A removed question may be added again with any vector.
  EXPECT_EQ(edges.add({"q2", Vector{1, 1}, "t", ""}, Ends{{1, 2}}), 1u);
}

TEST(Edges, BadArgumentsChangeNothing) {
  EdgeStore edges(2);
  edges.add({"q", Vector{1, 0}, "t", ""}, Ends{{1, 2}});
  const float nan = std::nanf("");
  const auto adding = [&](std::string_view question, const Vector& vector, const Ends& ends) {
    return code_of([&] { edges.add({question, vector, "t", ""}, ends); });
  };
  EXPECT_EQ(adding("r", {1}, {{1, 2}}), ErrorCode::kInvalidArgument);
  EXPECT_EQ(adding("r", {0, 0}, {{1, 2}}), ErrorCode::kInvalidArgument);
  EXPECT_EQ(adding("r", {nan, 0}, {{1, 2}}), ErrorCode::kInvalidArgument);
  EXPECT_EQ(adding("r", {INFINITY, 0}, {{1, 2}}), ErrorCode::kInvalidArgument);
  EXPECT_EQ(adding("", {1, 0}, {{1, 2}}), ErrorCode::kInvalidArgument);
  EXPECT_EQ(adding("r", {1, 0}, {{3, 4}, {1, kNoNode}}), ErrorCode::kInvalidArgument);
  EXPECT_EQ(adding("q", {0, 1}, {{1, 3}}), ErrorCode::kAlreadyExists);
  EXPECT_EQ(code_of([&] {
              edges.add({"r", Vector{1, 0}, "t", "", kNeverExpires, kNoRow}, Ends{{1, 2}});
            }),
            ErrorCode::kInvalidArgument);
  EXPECT_EQ(code_of([&] { edges.remove_trace(""); }), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code_of([&] { edges.episode(77); }), ErrorCode::kNotFound);
  EXPECT_EQ(code_of([&] { expand(edges, {1}, {0, 0}); }), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code_of([&] {
              expand(edges, {1}, {1, 0}, {.gamma = nan});
            }),
            ErrorCode::kInvalidArgument);
  EXPECT_EQ(edges.add({"r", Vector{1, 0}, "t", ""}, {}), 0u);  // no edge, no question
  EXPECT_EQ(edges.edge_count(), 1u);
  EXPECT_EQ(edges.question_count(), 1u);
  EXPECT_EQ(edges.episode_count(), 1u);
}

// --- the reference model

struct ReferenceEdge {
  NodeId source, target;
  std::string question, trace;
  bool active;
  std::int64_t expires_at_s;
  Audience audience;
};

struct ReferenceEdges {
  std::vector<ReferenceEdge> edges;
  std::map<std::string, Vector> vectors;

  std::size_t add(const std::string& question, const Vector& unit, const std::string& trace,
                  std::int64_t expires_at_s, Audience audience, const Ends& ends) {
    std::size_t added = 0;
    for (const EdgeEnds& each : ends) {
      const bool known = std::any_of(edges.begin(), edges.end(), [&](const ReferenceEdge& edge) {
        return edge.source == each.source && edge.target == each.target &&
               edge.question == question && edge.trace == trace && edge.audience == audience;
      });
      if (known) continue;
      edges.push_back({each.source, each.target, question, trace, true, expires_at_s, audience});
      ++added;
    }
    vectors.emplace(question, unit);
    return added;
  }
  template <class F>
  std::size_t remove_if(F gone) {
    const std::size_t before = edges.size();
    edges.erase(std::remove_if(edges.begin(), edges.end(), gone), edges.end());
    return before - edges.size();
  }
  // Each target's best similarity.
  std::map<NodeId, float> expand(const std::vector<NodeId>& seeds, const Vector& unit, float gamma,
                                 std::int64_t now_s, const std::set<Audience>* audiences) const {
    std::map<NodeId, float> best;
    for (const ReferenceEdge& edge : edges) {
      if (std::find(seeds.begin(), seeds.end(), edge.source) == seeds.end()) continue;
      if (!edge.active || edge.expires_at_s <= now_s) continue;
      if (audiences != nullptr && edge.audience != kEverybody &&
          !audiences->contains(edge.audience))
        continue;
      const Vector& vector = vectors.at(edge.question);
      double sum = 0;
      for (std::size_t i = 0; i < unit.size(); ++i) sum += double{unit[i]} * vector[i];
      const auto similarity = static_cast<float>(std::clamp(sum, -1.0, 1.0));
      if (similarity < gamma) continue;
      const auto [at, fresh] = best.try_emplace(edge.target, similarity);
      if (!fresh) at->second = std::max(at->second, similarity);
    }
    return best;
  }
};

Vector unit_vector(std::mt19937& random, std::size_t dim) {
  std::normal_distribution<float> normal;
  Vector vector(dim);
  double sum = 0;
  for (float& value : vector) {
    value = normal(random);
    sum += double{value} * value;
  }
  for (float& value : vector) value = static_cast<float>(value / std::sqrt(sum));
  return vector;
}

void expect_equal(const EdgeStore& edges, const ReferenceEdges& reference, std::mt19937& random,
                  const Vector& query) {
  ASSERT_EQ(edges.edge_count(), reference.edges.size());
  std::set<std::string> questions;
  std::set<std::tuple<std::string, std::string, Audience>> episodes;
  for (const ReferenceEdge& edge : reference.edges) {
    questions.insert(edge.question);
    episodes.insert({edge.question, edge.trace, edge.audience});
  }
  ASSERT_EQ(edges.question_count(), questions.size());
  ASSERT_EQ(edges.episode_count(), episodes.size());

  const std::vector<NodeId> seeds{pick(random, 12), pick(random, 12), pick(random, 12)};
  const auto now_s = static_cast<std::int64_t>(random() % 6);
  const float gamma = static_cast<float>(random() % 20) / 10 - 1;
  std::set<Audience> numbers;
  RowSet audiences;
  for (unsigned n = random() % 3; n > 0; --n) {
    const Audience audience = random() % 4;
    numbers.insert(audience);
    audiences.add_range(audience, audience + 1);
  }
  const bool is_owner = random() % 3 == 0;
  const auto found = edges.expand(
      seeds, query, {.gamma = gamma, .now_s = now_s, .audiences = is_owner ? nullptr : &audiences});
  const auto expected = reference.expand(seeds, query, gamma, now_s, is_owner ? nullptr : &numbers);
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    const Audience audience = edges.episode(found[i].episode).audience;
    ASSERT_TRUE(is_owner || audience == kEverybody || numbers.contains(audience));
    ASSERT_NEAR(found[i].similarity, expected.at(found[i].target), 1e-6);
    if (i == 0) continue;
    ASSERT_TRUE(
        found[i - 1].similarity > found[i].similarity ||
        (found[i - 1].similarity == found[i].similarity && found[i - 1].target < found[i].target));
  }
  const NodeId source = pick(random, 12), target = pick(random, 12);
  const auto weight = std::count_if(
      reference.edges.begin(), reference.edges.end(),
      [&](const ReferenceEdge& e) { return e.source == source && e.target == target; });
  ASSERT_EQ(edges.weight(source, target), static_cast<std::size_t>(weight));
}

EdgeStore saved_and_loaded(const EdgeStore& edges) {
  SnapshotWriter writer;
  EdgeCodec::save(edges, writer);
  return EdgeCodec::load(*writer.finish_in_memory());
}

// Ids far apart; and as many questions as several threads read.
TEST(Edges, ComeBackFromASnapshot) {
  std::mt19937 random(43);
  EdgeStore edges(3);
  for (int i = 0; i < 3'000; ++i) {
    Ends ends;
    for (unsigned n = 1 + random() % 3; n > 0; --n) {
      ends.push_back({static_cast<NodeId>(random() / 2), static_cast<NodeId>(random() / 2)});
    }
    const std::string name = std::to_string(i);
    edges.add({"q" + name, unit_vector(random, 3), "t" + name, "s" + name}, ends);
  }
  const EdgeStore loaded = saved_and_loaded(edges);
  const std::vector<Edge> before = edges.list(0, 10'000), after = loaded.list(0, 10'000);
  ASSERT_EQ(before.size(), after.size());
  for (std::size_t i = 0; i < before.size(); ++i) {
    ASSERT_EQ(before[i].source, after[i].source);
    ASSERT_EQ(before[i].target, after[i].target);
    const EpisodeView a = edges.episode(before[i].episode), b = loaded.episode(after[i].episode);
    ASSERT_EQ(a.question, b.question);
    ASSERT_TRUE(std::ranges::equal(a.vector, b.vector));
  }
  EXPECT_TRUE(loaded.all_nodes([](NodeId) { return true; }));
  const NodeId last_target = before.back().target;
  EXPECT_FALSE(loaded.all_nodes([&](NodeId node) { return node != last_target; }));
  EdgeStore emptied = loaded;
  for (const Edge& edge : before) emptied.remove_node(edge.target);
  EXPECT_EQ(emptied.edge_count(), 0u);
  EXPECT_EQ(emptied.question_count(), 0u);
}

TEST(EdgesReference, AgreesOnRandomOperations) {
  constexpr std::size_t dim = 3;
  std::mt19937 random(42);
  std::vector<Vector> vectors;
  for (int i = 0; i < 6; ++i) vectors.push_back(unit_vector(random, dim));
  const auto trace_of = [&] { return "t" + std::to_string(random() % 7); };

  EdgeStore edges(dim);
  ReferenceEdges reference;
  std::vector<std::pair<EdgeStore, ReferenceEdges>>
      kept;  // copies, which later changes must not touch
  for (int step = 0; step < 6'000; ++step) {
    const NodeId node = pick(random, 12);
    switch (random() % 12) {
      case 4:
        if (random() % 8 == 0) edges = saved_and_loaded(edges);
        break;
      case 0:
        ASSERT_EQ(edges.remove_node(node), reference.remove_if([&](const ReferenceEdge& edge) {
          return edge.source == node || edge.target == node;
        }));
        break;
      case 1: {
        const std::string trace = trace_of();
        ASSERT_EQ(edges.remove_trace(trace), reference.remove_if([&](const ReferenceEdge& edge) {
          return edge.trace == trace;
        }));
        break;
      }
      case 2: {
        const std::string trace = trace_of();
        const bool active = random() % 2 == 0;
        std::size_t changed = 0;
        for (ReferenceEdge& edge : reference.edges) {
          if (edge.trace != trace || edge.active == active) continue;
          edge.active = active;
          ++changed;
        }
        ASSERT_EQ(edges.set_trace_active(trace, active), changed);
        break;
      }
      case 3:
        if (random() % 8 == 0) {
          ASSERT_EQ(edges.remove_expired(2), reference.remove_if([&](const ReferenceEdge& edge) {
            return edge.expires_at_s <= 2;
          }));
        }
        break;
      default: {
        const std::size_t which = random() % vectors.size();
        Ends ends;
        for (unsigned n = 1 + random() % 3; n > 0; --n)
          ends.push_back({pick(random, 12), pick(random, 12)});
        const std::int64_t expires_at_s = random() % 2 == 0 ? kNeverExpires : random() % 6;
        const std::string question = "q" + std::to_string(which), trace = trace_of();
        const Audience audience = random() % 4;
        ASSERT_EQ(edges.add({question, vectors[which], trace, "", expires_at_s, audience}, ends),
                  reference.add(question, vectors[which], trace, expires_at_s, audience, ends));
      }
    }
    expect_equal(edges, reference, random, vectors[random() % vectors.size()]);
    if (HasFatalFailure()) return;
    if (step % 500 == 0) kept.emplace_back(edges, reference);
  }
  for (const auto& [copy, reference] : kept) expect_equal(copy, reference, random, vectors[0]);
}

TEST(EdgesReference, AMillionEdgesAreFeasible) {
  constexpr std::size_t dim = 8;
  std::mt19937 random(9);
  EdgeStore edges(dim);
  for (int question = 0; question < 1'000; ++question) {
    const std::string name = "question " + std::to_string(question);
    const Vector vector = unit_vector(random, dim);
    Ends ends;
    while (ends.size() < 1'000) ends.push_back({pick(random, 50'000), pick(random, 50'000)});
    edges.add({name, vector, "trace of " + name, "search, read"}, ends);
  }
  EXPECT_GT(edges.edge_count(), 999'000u);
  const double per_edge =
      static_cast<double>(edges.size_bytes()) / static_cast<double>(edges.edge_count());
  RecordProperty("bytes_per_edge", std::to_string(per_edge));
  EXPECT_LT(per_edge, 160);
  std::size_t reached = 0;
  for (NodeId seed = 0; seed < 1'000; ++seed) {
    reached += expand(edges, {seed}, unit_vector(random, dim), {.gamma = 0.5f}).size();
  }
  EXPECT_GT(reached, 500u);
  const std::size_t before = edges.edge_count();
  std::size_t removed = edges.remove_trace("trace of question 7");
  for (NodeId node = 0; node < 1'000; ++node) removed += edges.remove_node(node);
  EXPECT_EQ(edges.edge_count(), before - removed);
}

}  // namespace
}  // namespace knarr
