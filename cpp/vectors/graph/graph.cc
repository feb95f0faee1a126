#include "vectors/graph/graph.h"

#include <algorithm>

namespace knarr {

GraphPtr Graph::grow(const Graph* from, const VectorView& view, const RowSet& live,
                     const std::atomic<bool>& stop) {
  auto links = from != nullptr ? from->links_->copy() : std::make_unique<GraphLinks>();
  std::shared_ptr<Graph> graph(new Graph(view, std::move(links)));
  if (from != nullptr) {
    graph->rows_ = from->rows_;
    graph->vectors_ = from->vectors_;
    graph->left_out_ = from->left_out_;
    graph->rows_end_ = from->rows_end_;
    graph->tuning_ = from->tuning_;
  }
  const RowSet added = live & RowSet::range(graph->rows_end_, view.size());
  added.for_each_range([&](Row begin, Row end) {
    for (Row row = begin; row < end && !stop.load(std::memory_order_relaxed); ++row) {
      graph->add(row);
    }
    return !stop.load(std::memory_order_relaxed);
  });
  if (stop.load(std::memory_order_relaxed)) return nullptr;
  graph->rows_end_ = view.size();
  const bool has_doubled = from == nullptr || graph->size() >= 2 * from->tuning_.slots();
  if (has_doubled && !graph->tuning_.measure(*graph, live, stop)) return nullptr;
  return graph;
}

void Graph::add(Row row) {
  rows_.push_back(row);
  vectors_.push_back(view_.quantised_row(row));
  links_->add(vectors_, shape());
}

std::size_t Graph::size_bytes() const {
  return links_->size_bytes() + rows_.capacity() * sizeof(Row) +
         vectors_.capacity() * sizeof(const std::byte*);
}

}  // namespace knarr
