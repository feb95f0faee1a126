#include "edges/edges_codec.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/coding.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/object_pool.h"
#include "base/parallel.h"
#include "edges/question.h"

namespace knarr {
namespace {

constexpr std::string_view kQuestions = "edges.questions";
constexpr std::string_view kEpisodes = "edges.episodes";
constexpr std::string_view kLinks = "edges.links";

// The smallest size of an episode's record (three numbers, two empty strings), and that of a link.
constexpr std::size_t kEpisodeBytes = 20;
constexpr std::size_t kLinkBytes = 21;
// Keys are sorted by counting, unless the largest key exceeds their count by this factor.
constexpr std::size_t kSparse = 8;

std::string place(const Snapshot& snapshot, std::string_view section) {
  return snapshot.path() + ": section '" + std::string(section) + "'";
}

constexpr std::size_t kTaskQuestions = 256;  // made by one thread before it takes more
constexpr std::size_t kTasksPerWorker = 4;

// A permutation that sorts [0, n) by key(i), stable.
template <class Key>
LargeVector<std::uint32_t> sorted_by(std::size_t n, Key&& key) {
  std::uint32_t most = 0;
  for (std::size_t i = 0; i < n; ++i) most = std::max(most, key(i));
  LargeVector<std::uint32_t> out(n);
  if (most / kSparse > n) {
    std::iota(out.begin(), out.end(), std::uint32_t{0});
    std::ranges::stable_sort(out, {}, key);
    return out;
  }
  LargeVector<std::uint32_t> next(std::size_t{most} + 2);
  for (std::size_t i = 0; i < n; ++i) ++next[std::size_t{key(i)} + 1];
  std::partial_sum(next.begin(), next.end(), next.begin());
  for (std::size_t i = 0; i < n; ++i) out[next[key(i)]++] = static_cast<std::uint32_t>(i);
  return out;
}

}  // namespace

void EdgeCodec::save(const EdgeStore& edges, SnapshotWriter& writer) {
  // Questions are referred to by their index here; their numbers are given anew on loading.
  std::unordered_map<EdgeStore::QuestionId, std::uint32_t> index;
  Encoder questions;
  questions.u32(static_cast<std::uint32_t>(edges.dim_));
  questions.u64(edges.questions_.size());
  for (auto at = edges.questions_.begin(); at.valid(); at.next()) {
    index.emplace(at.key(), static_cast<std::uint32_t>(index.size()));
    questions.string(at.value().question->text);
    for (const float value : at.value().question->vector()) questions.f32(value);
  }
  writer.add(kQuestions, questions.bytes());

  Encoder episodes;
  episodes.u32(edges.next_episode_);
  episodes.u64(edges.episodes_.size());
  for (auto at = edges.episodes_.begin(); at.valid(); at.next()) {
    const auto& record = *at.value().record;
    episodes.u32(at.key());
    episodes.u32(index.at(record.question));
    episodes.u32(record.audience);
    episodes.string(record.trace);
    episodes.string(record.summary);
  }
  writer.add(kEpisodes, episodes.bytes());

  Encoder links;
  links.u64(edges.forward_.size());
  for (auto at = edges.forward_.begin(); at.valid(); at.next()) {
    links.u32(at.key().a);
    links.u32(at.key().b);
    links.u32(at.key().c);
    links.u8(at.value().active ? 1 : 0);
    links.i64(at.value().expires_at_s);
  }
  writer.add(kLinks, links.bytes());
}

// Collects the entries of all trees. They refer to each other by index.
class EdgeCodec::Loader {
 public:
  explicit Loader(const Snapshot& snapshot) : snapshot_(snapshot) {}

  EdgeStore load() {
    read_questions();
    read_episodes();
    read_links();
    // Every record must be used by an edge.
    for (const auto& [id, entry] : episodes_) {
      if (entry.edges == 0) snapshot_.corrupt(kEpisodes, "an episode without an edge");
    }
    for (const QuestionEntry& entry : questions_) {
      if (entry.episodes == 0) snapshot_.corrupt(kQuestions, "a question without an episode");
    }
    return packed();
  }

 private:
  using Triple = EdgeStore::Triple;
  using QuestionEntry = EdgeStore::QuestionEntry;
  using EpisodeEntry = EdgeStore::EpisodeEntry;
  struct FoundQuestion {
    std::string_view text;
    const std::byte* vector;
  };
  struct Link {
    Triple key;
    std::uint32_t episode;  // its index in episodes_
    bool active;
    std::int64_t expires_at_s;
  };

  void read_questions() {
    const std::string where = place(snapshot_, kQuestions);
    const ByteSpan bytes = snapshot_.section(kQuestions);
    Decoder in(bytes, where);
    dim_ = in.u32();
    const std::size_t vector_bytes = dim_ * sizeof(float);
    const std::uint64_t count = in.count(sizeof(std::uint32_t) + vector_bytes);
    std::vector<FoundQuestion> found;
    found.reserve(count);
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::string_view text = in.string();
      if (text.empty()) in.refuse("a question without a text");
      found.push_back({text, in.bytes(vector_bytes).data()});
      by_question_.push_back({EdgeStore::hash_of(text), static_cast<std::uint32_t>(i)});
    }
    in.expect_end();
    std::ranges::sort(by_question_);
    expect_distinct(by_question_, in, [&](const auto& a, const auto& b) {
      return a.hash == b.hash && found[a.id].text == found[b.id].text;
    });
    make_questions(found, in);
  }

  void make_questions(std::span<const FoundQuestion> found, const Decoder& in) {
    questions_.resize(found.size());
    const std::size_t tasks = (found.size() + kTaskQuestions - 1) / kTaskQuestions;
    const auto workers =
        static_cast<unsigned>(std::clamp<std::size_t>(tasks / kTasksPerWorker, 1, max_workers()));
    std::vector<ObjectPool> pools(workers);
    parallel_for(tasks, workers, [&](unsigned worker, std::size_t task) {
      std::vector<float> vector(dim_);
      const std::size_t end = std::min((task + 1) * kTaskQuestions, found.size());
      for (std::size_t i = task * kTaskQuestions; i < end; ++i) {
        for (std::size_t d = 0; d < dim_; ++d) {
          const auto bits = load_little<std::uint32_t>(found[i].vector + d * sizeof(float));
          vector[d] = std::bit_cast<float>(bits);
        }
        if (!(std::abs(product(vector, vector) - 1) < 1e-3)) {
          in.refuse("a vector that is not of unit length");
        }
        ObjectPool* const pool = workers > 1 ? &pools[worker] : nullptr;
        questions_[i].question =
            std::make_shared<const EdgeStore::Question>(found[i].text, vector, pool);
      }
    });
  }

  void read_episodes() {
    const std::string where = place(snapshot_, kEpisodes);
    Decoder in(snapshot_.section(kEpisodes), where);
    next_episode_ = in.u32();
    const std::uint64_t count = in.count(kEpisodeBytes);
    episodes_.reserve(count);
    for (std::uint64_t i = 0; i < count; ++i) {
      const EpisodeId id = in.u32();
      const std::uint32_t question = in.u32();
      const Audience audience = in.u32();
      const std::string_view trace = in.string();
      const std::string_view summary = in.string();
      const bool ascends = episodes_.empty() || id > episodes_.back().first;
      if (!ascends || id >= next_episode_) in.refuse("episodes out of order");
      if (question >= questions_.size()) in.refuse("an episode without a question");
      if (audience == kNoRow) in.refuse("an audience that is none");
      ++questions_[question].episodes;
      auto record = std::make_shared<const EdgeStore::EpisodeRecord>(
          EdgeStore::EpisodeRecord{question, questions_[question].question, std::string(trace),
                                   std::string(summary), audience});
      by_trace_.push_back({EdgeStore::hash_of(trace), question, id});
      episodes_.emplace_back(id, EpisodeEntry{std::move(record), 0});
    }
    in.expect_end();
    std::ranges::sort(by_trace_);
    expect_distinct(by_trace_, in, [&](const auto& a, const auto& b) {
      return a.trace_hash == b.trace_hash && a.question == b.question &&
             record_of(a.episode).trace == record_of(b.episode).trace &&
             record_of(a.episode).audience == record_of(b.episode).audience;
    });
  }

  // The file lists links in the order of the forward tree.
  void read_links() {
    const std::string where = place(snapshot_, kLinks);
    Decoder in(snapshot_.section(kLinks), where);
    const std::uint64_t count = in.count(kLinkBytes);
    if (count > UINT32_MAX) in.refuse("too many edges");
    links_.reserve(count);
    for (std::uint64_t i = 0; i < count; ++i) {
      Link link{{in.u32(), in.u32(), in.u32()}, 0, false, 0};
      const std::uint8_t active = in.u8();
      link.active = active == 1;
      link.expires_at_s = in.i64();
      if (active > 1) in.refuse("a flag that is neither 0 nor 1");
      if (link.key.a == kNoNode || link.key.b == kNoNode)
        in.refuse("an edge without a source or a target");
      if (!links_.empty() && !(links_.back().key < link.key)) {
        in.refuse("an edge twice, or out of order");
      }
      const auto episode = find_episode(link.key.c);
      if (episode == episodes_.end()) in.refuse("an edge without an episode");
      ++episode->second.edges;
      link.episode = static_cast<std::uint32_t>(episode - episodes_.begin());
      links_.push_back(link);
    }
    in.expect_end();
  }

  // Sorting the links stably by target keeps the forward order, by source and episode, among equal
  // targets, which is the order of the reverse tree; likewise for episodes.
  EdgeStore packed() {
    EdgeStore edges(dim_);
    edges.forward_ = decltype(edges.forward_)::of_sorted(links_.size(), [&](std::size_t i) {
      const Link& link = links_[i];
      const EdgeStore::EpisodeRecord& record = *episodes_[link.episode].second.record;
      return std::pair(link.key, EdgeStore::EdgeState{link.expires_at_s, record.asked->numbers(),
                                                      record.audience, link.active});
    });
    const auto by_target = sorted_by(links_.size(), [&](std::size_t i) { return links_[i].key.b; });
    edges.reverse_ = decltype(edges.reverse_)::of_sorted(links_.size(), [&](std::size_t i) {
      const Triple& key = links_[by_target[i]].key;
      return std::pair(Triple{key.b, key.a, key.c}, EdgeStore::Nothing{});
    });
    const auto by_episode =
        sorted_by(links_.size(), [&](std::size_t i) { return links_[i].episode; });
    edges.by_episode_ = decltype(edges.by_episode_)::of_sorted(links_.size(), [&](std::size_t i) {
      const Triple& key = links_[by_episode[i]].key;
      return std::pair(Triple{key.c, key.a, key.b}, EdgeStore::Nothing{});
    });
    const auto named = [](auto& keys) {
      return [&keys](std::size_t i) { return std::pair(keys[i], EdgeStore::Nothing{}); };
    };
    edges.by_question_ =
        decltype(edges.by_question_)::of_sorted(by_question_.size(), named(by_question_));
    edges.by_trace_ = decltype(edges.by_trace_)::of_sorted(by_trace_.size(), named(by_trace_));
    edges.questions_ = decltype(edges.questions_)::of_sorted(questions_.size(), [&](std::size_t i) {
      return std::pair(static_cast<std::uint32_t>(i), std::move(questions_[i]));
    });
    edges.episodes_ = decltype(edges.episodes_)::of_sorted(
        episodes_.size(), [&](std::size_t i) { return std::move(episodes_[i]); });
    edges.next_episode_ = next_episode_;
    edges.next_question_ = static_cast<std::uint32_t>(questions_.size());
    return edges;
  }

  std::vector<std::pair<EpisodeId, EpisodeEntry>>::iterator find_episode(EpisodeId id) {
    const auto at =
        std::ranges::lower_bound(episodes_, id, {}, &std::pair<EpisodeId, EpisodeEntry>::first);
    return at != episodes_.end() && at->first == id ? at : episodes_.end();
  }
  const EdgeStore::EpisodeRecord& record_of(EpisodeId id) {
    return *find_episode(id)->second.record;
  }

  // Names with equal hashes are neighbours in the sorted keys, and are compared with each other.
  template <class Keys, class Same>
  static void expect_distinct(const Keys& keys, const Decoder& in, Same&& is_same) {
    for (std::size_t i = 0; i < keys.size(); ++i) {
      for (std::size_t j = i + 1; j < keys.size() && has_hash_of(keys[i], keys[j]); ++j) {
        if (is_same(keys[i], keys[j])) in.refuse("a question or an episode twice");
      }
    }
  }
  static bool has_hash_of(const EdgeStore::QuestionKey& a, const EdgeStore::QuestionKey& b) {
    return a.hash == b.hash;
  }
  static bool has_hash_of(const EdgeStore::TraceKey& a, const EdgeStore::TraceKey& b) {
    return a.trace_hash == b.trace_hash && a.question == b.question;
  }

  const Snapshot& snapshot_;
  std::size_t dim_ = 0;
  EpisodeId next_episode_ = 0;
  std::vector<QuestionEntry> questions_;
  std::vector<EdgeStore::QuestionKey> by_question_;
  std::vector<std::pair<EpisodeId, EpisodeEntry>> episodes_;
  std::vector<EdgeStore::TraceKey> by_trace_;
  LargeVector<Link> links_;
};

EdgeStore EdgeCodec::load(const Snapshot& snapshot) { return Loader(snapshot).load(); }

}  // namespace knarr
