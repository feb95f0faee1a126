#include "edges/edges_codec.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/coding.h"
#include "base/error.h"
#include "edges/question.h"

namespace knarr {
namespace {

constexpr std::string_view kQuestions = "edges.questions";
constexpr std::string_view kEpisodes = "edges.episodes";
constexpr std::string_view kLinks = "edges.links";

// The least that a record takes: two numbers and two empty strings, and a link in full.
constexpr std::size_t kEpisodeBytes = 16;
constexpr std::size_t kLinkBytes = 21;

std::string place(const Snapshot& snapshot, std::string_view section) {
  return snapshot.path() + ": section '" + std::string(section) + "'";
}

std::vector<float> read_unit_vector(Decoder& in, std::size_t dim) {
  std::vector<float> vector(dim);
  double sum = 0;
  for (float& value : vector) {
    value = in.f32();
    sum += double{value} * value;
  }
  if (!(std::abs(sum - 1) < 1e-3)) in.refuse("a vector that is not of unit length");
  return vector;
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

EdgeStore EdgeCodec::load(const Snapshot& snapshot) {
  EdgeStore edges = read_questions(snapshot);
  read_episodes(snapshot, edges);
  read_links(snapshot, edges);
  check_users(snapshot, edges);
  return edges;
}

EdgeStore EdgeCodec::read_questions(const Snapshot& snapshot) {
  const std::string questions_place = place(snapshot, kQuestions);
  Decoder questions(snapshot.section(kQuestions), questions_place);
  const std::uint32_t dim = questions.u32();
  EdgeStore edges(dim);
  const std::uint64_t question_count =
      questions.count(sizeof(std::uint32_t) + std::size_t{dim} * sizeof(float));
  for (std::uint64_t i = 0; i < question_count; ++i) {
    const std::string_view text = questions.string();
    if (text.empty() || edges.find_question(text)) questions.refuse("a question twice, or empty");
    if (questions.left() / sizeof(float) < dim) questions.refuse("it ends too early");
    edges.make_question(text, read_unit_vector(questions, dim));
  }
  questions.expect_end();
  return edges;
}

void EdgeCodec::read_episodes(const Snapshot& snapshot, EdgeStore& edges) {
  const std::string episodes_place = place(snapshot, kEpisodes);
  Decoder episodes(snapshot.section(kEpisodes), episodes_place);
  const EpisodeId next_episode = episodes.u32();
  const std::uint64_t episode_count = episodes.count(kEpisodeBytes);
  for (std::uint64_t i = 0; i < episode_count; ++i) {
    const EpisodeId id = episodes.u32();
    const std::uint32_t question = episodes.u32();
    const std::string_view trace = episodes.string();
    const std::string_view summary = episodes.string();
    if (id < edges.next_episode_ || id >= next_episode) episodes.refuse("episodes out of order");
    if (question >= edges.questions_.size()) episodes.refuse("an episode without a question");
    if (edges.find_episode(question, trace)) episodes.refuse("an episode twice");
    edges.next_episode_ = id;  // the number that make_episode gives
    edges.make_episode(question, trace, summary);
  }
  edges.next_episode_ = next_episode;
  episodes.expect_end();
}

// The links stand in the order of the forward tree; the two others get theirs sorted too, which
// packs the nodes and walks no tree at random.
void EdgeCodec::read_links(const Snapshot& snapshot, EdgeStore& edges) {
  using Triple = EdgeStore::Triple;
  const std::string links_place = place(snapshot, kLinks);
  Decoder links(snapshot.section(kLinks), links_place);
  const std::uint64_t link_count = links.count(kLinkBytes);
  std::vector<Triple> reverse, by_episode;
  reverse.reserve(link_count);
  by_episode.reserve(link_count);
  std::optional<Triple> last;
  for (std::uint64_t i = 0; i < link_count; ++i) {
    const EdgeEnds ends{links.u32(), links.u32()};
    const EpisodeId episode = links.u32();
    const std::uint8_t active = links.u8();
    const std::int64_t expires_at_s = links.i64();
    if (active > 1) links.refuse("a flag that is neither 0 nor 1");
    if (ends.source == kNoNode || ends.target == kNoNode) links.refuse("an edge of no node");
    const auto* entry = edges.episodes_.find(episode);
    if (entry == nullptr) links.refuse("an edge without an episode");
    const Triple key{ends.source, ends.target, episode};
    if (last && !(*last < key)) links.refuse("an edge twice, or out of order");
    last = key;
    edges.forward_.insert(key, {expires_at_s, entry->record->asked->numbers(), active == 1});
    reverse.push_back({ends.target, ends.source, episode});
    by_episode.push_back({episode, ends.source, ends.target});
  }
  links.expect_end();
  std::ranges::sort(reverse);
  for (const Triple& key : reverse) edges.reverse_.insert(key, {});
  std::ranges::sort(by_episode);
  for (const Triple& key : by_episode) {
    edges.by_episode_.insert(key, {});
    ++edges.episodes_.edit(key.a)->edges;
  }
}

// Nothing is kept that no edge uses.
void EdgeCodec::check_users(const Snapshot& snapshot, const EdgeStore& edges) {
  for (auto at = edges.episodes_.begin(); at.valid(); at.next()) {
    if (at.value().edges == 0) snapshot.corrupt(kEpisodes, "an episode without an edge");
  }
  for (auto at = edges.questions_.begin(); at.valid(); at.next()) {
    if (at.value().episodes == 0) snapshot.corrupt(kQuestions, "a question without an episode");
  }
}

}  // namespace knarr
