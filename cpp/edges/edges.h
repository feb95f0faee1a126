// EdgeStore: experience, as directed edges `source -> target` that accepted answers taught.
//
// An episode is one trace's answer to one question, for one audience. It holds the question's
// vector (shared by all episodes of that question), the trace's name and a short summary. An edge
// is the triple (source, target, episode), stored once: replaying an episode adds nothing, another
// trace adds its own edges, and removing a trace restores exactly what was before.
//
// Idea: the triples are kept in three sorted trees, by source, by target and by episode. The first
// is the adjacency list that an expansion reads; the other two are reverse records. Invariant: a
// triple is in all three trees or in none; an episode lives as long as it has an edge, and a
// question as long as it has an episode. Cost: adding or removing an edge is O(log n); removing a
// node, a subtree or a trace costs its own edges, and no scan.
//
// An EdgeStore is a value: copying is O(1) and shares all nodes; changing a copy copies the nodes
// that it touches (base/tree.h). Threads: const methods may run in parallel; a store that is being
// changed belongs to one thread. A call that throws has changed nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/function_ref.h"
#include "base/tree.h"
#include "base/types.h"
#include "filter/rows.h"

namespace knarr {

using EpisodeId = std::uint32_t;
// Who may follow an episode's edges: a number, not kNoRow, that the caller gives meaning.
using Audience = std::uint32_t;
inline constexpr Audience kEverybody = 0;
inline constexpr std::int64_t kNeverExpires = std::numeric_limits<std::int64_t>::max();

// The arguments of EdgeStore::add.
struct Episode {
  std::string_view question;                  // its text names the question; not empty
  std::span<const float> vector;              // (dim,), any length but zero; normalised on entry
  std::string_view trace;                     // names the run, may be empty
  std::string_view summary;                   // the calls that led from source to target
  std::int64_t expires_at_s = kNeverExpires;  // Unix seconds; from then on the edges are ignored
  Audience audience = kEverybody;             // expansions for others ignore the edges
};

struct EdgeEnds {
  NodeId source;
  NodeId target;

  bool operator==(const EdgeEnds&) const = default;
};

// A target reached from a seed by an edge.
struct Activation {
  NodeId target;
  NodeId source;
  EpisodeId episode;
  float similarity;  // cosine of the query and the episode's question

  bool operator==(const Activation&) const = default;
};

// One edge, as listings and snapshots see it.
struct Edge {
  NodeId source;
  NodeId target;
  EpisodeId episode;
  bool active;
  std::int64_t expires_at_s;
};

// A stored episode. The views live as long as the store is not changed.
struct EpisodeView {
  std::string_view question;
  std::span<const float> vector;  // (dim,), unit length
  std::string_view trace;
  std::string_view summary;
  Audience audience;
};

class EdgeStore {
 public:
  explicit EdgeStore(std::size_t dim) : dim_(dim) {}

  std::size_t dim() const { return dim_; }

  // Learns edges; returns how many are new. Edges that this episode has already are left as they
  // are. Throws Error kInvalidArgument for a wrong width, a vector that is zero or not finite, an
  // empty question, or kNoNode; kAlreadyExists when the question is known with another vector.
  std::size_t add(const Episode& episode, std::span<const EdgeEnds> ends);

  struct ExpandOptions {
    float gamma = 0.8f;      // lowest similarity that activates, in [-1, 1]
    std::int64_t now_s = 0;  // Unix seconds
    // Audiences whose edges are followed beside everybody's; null: all.
    const RowSet* audiences = nullptr;
  };
  // Algorithm 3 of VikingRAG (arXiv 2609.11390), without the rights to targets, which the engine
  // applies to the result: the targets of the seeds' edges that are active, not expired, for these
  // audiences, and whose question is at least gamma-similar to `query` (dim,). Each target appears
  // once, with its best edge (among equal ones that of the earlier seed, then of the older
  // episode). They are ordered by similarity, descending, then by target. A target may itself be a
  // seed. Repeated seeds count once.
  std::vector<Activation> expand(std::span<const NodeId> seeds, std::span<const float> query,
                                 const ExpandOptions& options) const;

  // Each returns how many edges it removed or changed; unknown names change nothing. An empty trace
  // name throws Error kInvalidArgument.
  std::size_t remove_node(NodeId node);  // as source or as target
  std::size_t remove_nodes(std::span<const NodeId> nodes);
  std::size_t remove_trace(std::string_view trace);
  std::size_t remove_expired(std::int64_t now_s);  // O(edges)
  // Inactive edges stay stored, but an expansion ignores them.
  std::size_t set_trace_active(std::string_view trace, bool active);

  // How many episodes, active or not, taught this edge.
  std::size_t weight(NodeId source, NodeId target) const;
  EpisodeView episode(EpisodeId id) const;  // throws Error kNotFound
  // Up to `limit` edges from the offset-th on, by source, target, episode.
  std::vector<Edge> list(std::size_t offset, std::size_t limit) const;
  std::vector<Edge> edges_from(NodeId source) const;
  // Whether f(node) is true for every source and every target. Calls f at most once for a node as a
  // source, and once as a target.
  bool all_nodes(FunctionRef<bool(NodeId)> f) const;

  std::size_t edge_count() const { return forward_.size(); }
  std::size_t episode_count() const { return episodes_.size(); }
  std::size_t question_count() const { return questions_.size(); }
  // O(edges).
  struct Memory {
    std::size_t links = 0;      // the edges, by source, by target and by episode
    std::size_t questions = 0;  // their texts and vectors, in full and quantised
    std::size_t episodes = 0;   // with traces and summaries
    std::size_t total() const { return links + questions + episodes; }
  };
  Memory memory() const;
  std::size_t size_bytes() const { return memory().total(); }

 private:
  friend class EdgeCodec;
  using QuestionId = std::uint32_t;

  // Source, target and episode, in the order of the tree.
  struct Triple {
    std::uint32_t a, b, c;
    auto operator<=>(const Triple&) const = default;
  };
  // The hash of a question's text, then its id. Texts are compared where hashes are equal.
  struct QuestionKey {
    std::uint64_t hash;
    std::uint32_t id;
    auto operator<=>(const QuestionKey&) const = default;
  };
  // The hash of a trace's name, then its question and episode.
  struct TraceKey {
    std::uint64_t trace_hash;
    QuestionId question;
    EpisodeId episode;
    auto operator<=>(const TraceKey&) const = default;
  };
  struct Nothing {};
  struct Question;
  // An edge leads to its question's numbers (question.h) itself, so that an expansion looks up
  // nothing on its way. They live as long as the question's episodes, and those as long as their
  // edges.
  struct EdgeState {
    std::int64_t expires_at_s = kNeverExpires;
    const float* question = nullptr;
    Audience audience = kEverybody;  // its episode's
    bool active = true;
  };
  struct QuestionEntry {
    std::shared_ptr<const Question> question;
    std::uint32_t episodes = 0;
  };
  struct EpisodeRecord {
    QuestionId question;
    std::shared_ptr<const Question> asked;
    std::string trace;
    std::string summary;
    Audience audience;
  };
  struct EpisodeEntry {
    std::shared_ptr<const EpisodeRecord> record;
    std::uint32_t edges = 0;
  };

  static std::uint64_t hash_of(std::string_view name);
  struct SeedEdge;
  class Comparison;
  std::vector<SeedEdge> seed_edges(std::span<const NodeId> seeds,
                                   const ExpandOptions& options) const;
  std::vector<float> normalised(std::span<const float> vector) const;
  std::optional<QuestionId> find_question(std::string_view text) const;
  std::optional<EpisodeId> find_episode(QuestionId question, const Episode& episode) const;
  std::vector<EpisodeId> episodes_of(std::string_view trace) const;
  QuestionId make_question(std::string_view text, std::span<const float> vector);
  EpisodeId make_episode(QuestionId question, const Episode& episode);
  bool insert_edge(EdgeEnds ends, EpisodeId episode, std::int64_t expires_at_s, bool active);
  std::size_t remove_run(NodeId first, NodeId last);           // of all nodes from first to last
  std::size_t remove_edges(const std::vector<Triple>& edges);  // source, target, episode
  void leave_episodes(const std::vector<Triple>& edges);
  template <class V>
  static void erase_each(CowTree<Triple, V>& tree, std::vector<Triple> keys);
  void drop_episode(EpisodeId id);

  std::size_t dim_;
  CowTree<Triple, EdgeState> forward_;   // source, target, episode
  CowTree<Triple, Nothing> reverse_;     // target, source, episode
  CowTree<Triple, Nothing> by_episode_;  // episode, source, target
  CowTree<EpisodeId, EpisodeEntry> episodes_;
  CowTree<QuestionId, QuestionEntry> questions_;
  CowTree<TraceKey, Nothing> by_trace_;        // trace, question, episode
  CowTree<QuestionKey, Nothing> by_question_;  // text, question
  EpisodeId next_episode_ = 0;
  QuestionId next_question_ = 0;
};

}  // namespace knarr
