#include "filter/filter.h"

namespace knarr {

RowSet Filter::within(const RowSet& scope, const KindRows& by_kind) const {
  RowSet out = rows ? scope & *rows : scope;
  switch (kinds & kAllKinds) {
    case kAllKinds:
      return out;
    case kind_bit(Kind::kChunk):
      return out & by_kind[0];
    case kind_bit(Kind::kAbstract):
      return out & by_kind[1];
    default:
      return RowSet();
  }
}

}  // namespace knarr
