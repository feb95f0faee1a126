// What does experience cost: following the edges of ten hits, learning from one accepted answer?
#include "edges/edges.h"

#include <string>

#include "harness.h"

namespace knarr::bench {
namespace {

constexpr std::size_t kDim = 384;
constexpr std::size_t kPerEpisode = 6;

Episode episode(const std::string& question, const std::string& trace,
                const std::vector<float>& vector) {
  return {.question = question, .vector = vector, .trace = trace, .summary = "Search, then Read"};
}

std::vector<EdgeEnds> ends(Random& random, std::size_t nodes) {
  std::vector<EdgeEnds> out;
  const auto source = static_cast<NodeId>(random() % nodes);
  for (std::size_t i = 0; i < kPerEpisode; ++i) {
    out.push_back({source + static_cast<NodeId>(i % 2), static_cast<NodeId>(random() % nodes)});
  }
  return out;
}

}  // namespace

void bench_edges(const Options& options) {
  const std::size_t nodes = options.rows / 10 + 10;
  const std::size_t episodes = options.rows / 100;
  EdgeStore store(kDim);
  Random random(1);
  for (std::size_t i = 0; i < episodes; ++i) {
    const std::string name = std::to_string(i);
    const auto vector = random_vectors(1, kDim, static_cast<std::uint32_t>(i + 1));
    store.add(episode("question " + name, "trace " + name, vector), ends(random, nodes));
  }
  const auto query = random_vectors(1, kDim, 1);
  std::vector<NodeId> seeds;
  for (const Edge& edge : store.list(store.edge_count() / 2, 40)) seeds.push_back(edge.source);
  const auto allowed = [](NodeId) { return true; };
  const auto before = [](NodeId a, NodeId b) { return a < b; };
  const std::vector<EdgeEnds> fresh = ends(random, nodes);
  each("edges",
       {{"dim", number(kDim)},
        {"edges", number(store.edge_count())},
        {"questions", number(store.question_count())},
        {"store_bytes", number(store.size_bytes())}},
       options,
       {{"expand 40 seeds, gamma 0.8",
         [&] { keep(store.expand(seeds, query, {.gamma = 0.8f}, allowed, before).data()); }, 40},
        {"expand 40 seeds, all activate",
         [&] { keep(store.expand(seeds, query, {.gamma = -1.0f}, allowed, before).data()); }, 40},
        {"copy", [&] { keep(EdgeStore(store).edge_count()); }},
        {"learn an episode of 6 edges",
         [&] {
           EdgeStore draft = store;
           keep(draft.add(episode("a new question", "a new trace", query), fresh));
         }},
        {"take a trace back", [&] {
           EdgeStore draft = store;
           keep(draft.remove_trace("trace 5"));
         }}});
}

}  // namespace knarr::bench
