// What does experience cost: following the edges of ten hits, learning from one accepted answer,
// taking it back, and how much memory does an edge take?
//
// A store of `rows` edges over a tenth as many questions: each episode leads from two sources to
// five targets each. Seeds are then ten ordinary sources, or ten hubs of two thousand edges. One
// group asks for the same seeds again and again, which finds them in the caches; in the other each
// call has other seeds, as each search has other hits.
#include "edges/edges.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <string>

#include "harness.h"

namespace knarr::bench {
namespace {

constexpr std::size_t kDim = 384;
constexpr std::size_t kPerQuestion = 10;
constexpr std::size_t kSeeds = 10;
constexpr std::size_t kHubs = 10;
constexpr std::size_t kHubEdges = 2000;

Episode episode(const std::string& question, const std::string& trace,
                std::span<const float> vector) {
  return {.question = question, .vector = vector, .trace = trace, .summary = "Search, then Read"};
}

std::vector<EdgeEnds> ends(Random& random, std::size_t nodes) {
  std::vector<EdgeEnds> out;
  const auto source = static_cast<NodeId>(random() % nodes);
  for (std::size_t i = 0; i < kPerQuestion; ++i) {
    out.push_back({source + static_cast<NodeId>(i % 2), static_cast<NodeId>(random() % nodes)});
  }
  return out;
}

// Questions come in groups of ten that are like each other, as users ask them.
std::vector<float> question_vector(std::size_t i) {
  std::vector<float> vector = random_vectors(1, kDim, static_cast<std::uint32_t>(i / 10 + 1));
  const auto own = random_vectors(1, kDim, static_cast<std::uint32_t>(i + 1'000'000));
  for (std::size_t j = 0; j < kDim; ++j) vector[j] += 0.3f * own[j];
  return vector;
}

EdgeStore filled(std::size_t edges, std::size_t nodes) {
  EdgeStore store(kDim);
  Random random(1);
  const std::size_t questions = edges / kPerQuestion;
  for (std::size_t i = 0; i < questions; ++i) {
    const std::string name = std::to_string(i);
    store.add(episode("question " + name, "trace " + name, question_vector(i)),
              ends(random, nodes));
    if (i % (questions / (kHubEdges + 1) + 1) != 0) continue;
    std::vector<EdgeEnds> hubs;  // behind the other nodes
    for (std::size_t hub = 0; hub < kHubs; ++hub) {
      hubs.push_back({static_cast<NodeId>(nodes + 1 + hub), static_cast<NodeId>(random() % nodes)});
    }
    store.add(episode("question " + name, "trace " + name, question_vector(i)), hubs);
  }
  return store;
}

Settings settings_of(const EdgeStore& store) {
  const EdgeStore::Memory memory = store.memory();
  return {{"dim", number(kDim)},
          {"edges", number(store.edge_count())},
          {"questions", number(store.question_count())},
          {"links_bytes", number(memory.links)},
          {"questions_bytes", number(memory.questions)},
          {"episodes_bytes", number(memory.episodes)}};
}

}  // namespace

void bench_edges(const Options& options) {
  const std::size_t nodes = options.rows / 10 + 10;
  const EdgeStore store = filled(options.rows, nodes);
  std::vector<NodeId> sources;  // all that ordinary edges start from
  for (NodeId node = 0; node < nodes; ++node) {
    if (!store.edges_from(node).empty()) sources.push_back(node);
  }
  Random random(2);
  std::shuffle(sources.begin(), sources.end(), random);
  std::vector<NodeId> hubs(kHubs);
  std::iota(hubs.begin(), hubs.end(), static_cast<NodeId>(nodes + 1));
  const std::size_t sets = sources.size() / kSeeds;
  const auto seeds = [&](std::size_t set) {
    return std::span(sources).subspan(set % sets * kSeeds, kSeeds);
  };
  const std::vector<float> query = question_vector(options.rows / kPerQuestion / 2);
  std::size_t set = 0;
  const std::vector<EdgeEnds> fresh = ends(random, nodes);
  const auto expand = [&](std::span<const NodeId> from, float gamma) {
    keep(store.expand(from, query, {.gamma = gamma}).data());
  };
  const std::vector<NodeId> one_hub{hubs[0]};
  each("edges", settings_of(store), options,
       {{"expand 10 seeds, other ones each time", [&] { expand(seeds(++set), 0.8f); }},
        {"expand 10 seeds, the same", [&] { expand(seeds(0), 0.8f); }},
        {"expand 10 seeds, all activate", [&] { expand(seeds(++set), -1.0f); }},
        {"expand a hub of 2000 edges", [&] { expand(one_hub, 0.8f); }, kHubEdges},
        {"expand 10 hubs", [&] { expand(hubs, 0.8f); }, kHubs * kHubEdges},
        {"copy", [&] { keep(EdgeStore(store).edge_count()); }},
        {"learn an episode of 10 edges",
         [&] {
           EdgeStore draft = store;
           keep(draft.add(episode("a new question", "a new trace", query), fresh));
         }},
        {"take a trace back",
         [&] {
           EdgeStore draft = store;
           keep(draft.remove_trace("trace 5"));
         }},
        {"remove a subtree of 1000 nodes", [&] {
           EdgeStore draft = store;
           std::vector<NodeId> gone(std::min<std::size_t>(1000, nodes));
           std::iota(gone.begin(), gone.end(), static_cast<NodeId>(++set * 1000 % nodes));
           keep(draft.remove_nodes(gone));
         }}});
}

}  // namespace knarr::bench
