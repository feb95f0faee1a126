// Three trees hold every edge, by source, by target and by episode. Episodes count their edges and
// questions their episodes, so that each is dropped with its last user.
#include "edges/edges.h"

#include <cmath>
#include <utility>

#include "base/error.h"
#include "edges/question.h"

namespace knarr {
namespace {

// The least cosine of two embeddings of one text, which may differ in their last bits.
constexpr double kSameVector = 0.999;

}  // namespace

// FNV-1a. It only spreads the keys; names with equal hashes are compared.
std::uint64_t EdgeStore::hash_of(std::string_view name) {
  std::uint64_t hash = 0xCBF29CE484222325u;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3u;
  return hash;
}

std::vector<float> EdgeStore::normalised(std::span<const float> vector) const {
  if (vector.size() != dim_) {
    fail(ErrorCode::kInvalidArgument,
         "expected dimension " + std::to_string(dim_) + ", got " + std::to_string(vector.size()));
  }
  const double length = std::sqrt(product(vector, vector));
  if (!std::isfinite(length) || length == 0) {
    fail(ErrorCode::kInvalidArgument,
         "expected a vector of finite numbers that are not all zero, got length " +
             std::to_string(length));
  }
  std::vector<float> unit(vector.begin(), vector.end());
  for (float& value : unit) value = static_cast<float>(value / length);
  return unit;
}

std::optional<EdgeStore::QuestionId> EdgeStore::find_question(std::string_view text) const {
  const std::uint64_t hash = hash_of(text);
  for (auto at = by_question_.lower_bound(QuestionKey{hash, 0});
       at.valid() && at.key().hash == hash; at.next()) {
    if (questions_.find(at.key().id)->question->text == text) return at.key().id;
  }
  return std::nullopt;
}

std::optional<EpisodeId> EdgeStore::find_episode(QuestionId question,
                                                 const Episode& episode) const {
  const std::uint64_t hash = hash_of(episode.trace);
  for (auto at = by_trace_.lower_bound(TraceKey{hash, question, 0});
       at.valid() && at.key().trace_hash == hash && at.key().question == question; at.next()) {
    const EpisodeRecord& record = *episodes_.find(at.key().episode)->record;
    if (record.trace == episode.trace && record.audience == episode.audience)
      return at.key().episode;
  }
  return std::nullopt;
}

std::vector<EpisodeId> EdgeStore::episodes_of(std::string_view trace) const {
  if (trace.empty())
    fail(ErrorCode::kInvalidArgument, "trace: expected a name, got an empty string");
  std::vector<EpisodeId> ids;
  const std::uint64_t hash = hash_of(trace);
  for (auto at = by_trace_.lower_bound(TraceKey{hash, 0, 0});
       at.valid() && at.key().trace_hash == hash; at.next()) {
    const EpisodeId id = at.key().episode;
    if (episodes_.find(id)->record->trace == trace) ids.push_back(id);
  }
  return ids;
}

EdgeStore::QuestionId EdgeStore::make_question(std::string_view text,
                                               std::span<const float> vector) {
  const QuestionId id = next_question_++;
  auto question = std::make_shared<const Question>(text, vector);
  questions_.insert(id, {std::move(question), 0});
  by_question_.insert({hash_of(text), id}, {});
  return id;
}

EpisodeId EdgeStore::make_episode(QuestionId question, const Episode& episode) {
  const EpisodeId id = next_episode_++;
  auto record = std::make_shared<const EpisodeRecord>(
      EpisodeRecord{question, questions_.find(question)->question, std::string(episode.trace),
                    std::string(episode.summary), episode.audience});
  episodes_.insert(id, {std::move(record), 0});
  by_trace_.insert({hash_of(episode.trace), question, id}, {});
  ++questions_.edit(question)->episodes;
  return id;
}

bool EdgeStore::insert_edge(EdgeEnds ends, EpisodeId episode, std::int64_t expires_at_s,
                            bool active) {
  const Triple key{ends.source, ends.target, episode};
  if (forward_.contains(key)) return false;
  const EpisodeRecord& record = *episodes_.find(episode)->record;
  forward_.insert(key, {expires_at_s, record.asked->numbers(), record.audience, active});
  reverse_.insert({ends.target, ends.source, episode}, {});
  by_episode_.insert({episode, ends.source, ends.target}, {});
  ++episodes_.edit(episode)->edges;
  return true;
}

void EdgeStore::drop_episode(EpisodeId id) {
  const auto record = episodes_.find(id)->record;
  episodes_.erase(id);
  by_trace_.erase(TraceKey{hash_of(record->trace), record->question, id});
  QuestionEntry& question = *questions_.edit(record->question);
  if (--question.episodes > 0) return;
  by_question_.erase(QuestionKey{hash_of(question.question->text), record->question});
  questions_.erase(record->question);
}

std::size_t EdgeStore::add(const Episode& episode, std::span<const EdgeEnds> ends) {
  std::vector<float> vector = normalised(episode.vector);
  if (episode.question.empty()) {
    fail(ErrorCode::kInvalidArgument, "question: expected a text, got an empty string");
  }
  if (episode.audience == kNoRow) {
    fail(ErrorCode::kInvalidArgument, "audience: expected 0 to 4294967294, got 4294967295");
  }
  for (const EdgeEnds& each : ends) {
    if (each.source == kNoNode || each.target == kNoNode) {
      fail(ErrorCode::kInvalidArgument, "an edge needs a source and a target, got kNoNode");
    }
  }
  std::optional<QuestionId> question = find_question(episode.question);
  if (question && product(questions_.find(*question)->question->vector(), vector) < kSameVector) {
    fail(ErrorCode::kAlreadyExists, "question '" + std::string(episode.question.substr(0, 200)) +
                                        "' is known with another vector");
  }
  if (ends.empty()) return 0;

  if (!question) question = make_question(episode.question, vector);
  std::optional<EpisodeId> id = find_episode(*question, episode);
  if (!id) id = make_episode(*question, episode);
  std::size_t added = 0;
  for (const EdgeEnds& each : ends) {
    added += insert_edge(each, *id, episode.expires_at_s, true) ? 1 : 0;
  }
  return added;
}

std::size_t EdgeStore::set_trace_active(std::string_view trace, bool active) {
  std::size_t changed = 0;
  for (const EpisodeId id : episodes_of(trace)) {
    for (auto at = by_episode_.lower_bound(Triple{id, 0, 0}); at.valid() && at.key().a == id;
         at.next()) {
      const Triple key{at.key().b, at.key().c, id};
      if (forward_.find(key)->active == active) continue;
      forward_.edit(key)->active = active;
      ++changed;
    }
  }
  return changed;
}

std::size_t EdgeStore::weight(NodeId source, NodeId target) const {
  std::size_t episodes = 0;
  for (auto at = forward_.lower_bound(Triple{source, target, 0});
       at.valid() && at.key().a == source && at.key().b == target; at.next()) {
    ++episodes;
  }
  return episodes;
}

EpisodeView EdgeStore::episode(EpisodeId id) const {
  const EpisodeEntry* entry = episodes_.find(id);
  if (entry == nullptr) fail(ErrorCode::kNotFound, "no episode " + std::to_string(id));
  const Question& question = *entry->record->asked;
  const EpisodeRecord& record = *entry->record;
  return {question.text, question.vector(), record.trace, record.summary, record.audience};
}

std::vector<Edge> EdgeStore::list(std::size_t offset, std::size_t limit) const {
  std::vector<Edge> edges;
  for (auto at = forward_.at(offset); at.valid() && edges.size() < limit; at.next()) {
    edges.push_back(
        {at.key().a, at.key().b, at.key().c, at.value().active, at.value().expires_at_s});
  }
  return edges;
}

std::vector<Edge> EdgeStore::edges_from(NodeId source) const {
  std::vector<Edge> edges;
  for (auto at = forward_.lower_bound(Triple{source, 0, 0}); at.valid() && at.key().a == source;
       at.next()) {
    edges.push_back({source, at.key().b, at.key().c, at.value().active, at.value().expires_at_s});
  }
  return edges;
}

bool EdgeStore::all_nodes(FunctionRef<bool(NodeId)> f) const {
  NodeId last = kNoNode;  // no source, nor target
  const auto holds = [&](NodeId node) { return node == std::exchange(last, node) || f(node); };
  for (auto at = forward_.begin(); at.valid(); at.next()) {
    if (!holds(at.key().a)) return false;
  }
  for (auto at = reverse_.begin(); at.valid(); at.next()) {
    if (!holds(at.key().a)) return false;
  }
  return true;
}

EdgeStore::Memory EdgeStore::memory() const {
  Memory out;
  out.links = forward_.size_bytes() + reverse_.size_bytes() + by_episode_.size_bytes();
  out.episodes = episodes_.size_bytes() + by_trace_.size_bytes();
  for (auto at = episodes_.begin(); at.valid(); at.next()) {
    const EpisodeRecord& record = *at.value().record;
    out.episodes += sizeof record + record.trace.capacity() + record.summary.capacity();
  }
  out.questions = questions_.size_bytes() + by_question_.size_bytes();
  for (auto at = questions_.begin(); at.valid(); at.next()) {
    out.questions += at.value().question->size_bytes();
  }
  return out;
}

}  // namespace knarr
