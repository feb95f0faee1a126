// The rows that a caller may see, from Python's forms of a filter.
//
// A RowSet is taken as it is. The other forms are parsed, which costs more than a search in a
// section, and a caller passes the same rights with call after call. So the sets parsed from the
// last few immutable objects (bytes and FrozenBitMaps) are cached by the identity of the object.
// The cache holds a reference to each object, so that no other object can take its address.
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "bindings/arguments.h"
#include "bindings/python_types.h"
#include "filter/rows.h"

namespace knarr::bindings {
namespace {

// Guarded by the GIL.
class ParsedCache {
 public:
  const RowSet* find(const py::handle& object) const {
    for (const Entry& entry : entries_) {
      if (entry.object.ptr() == object.ptr()) return &entry.rows;
    }
    return nullptr;
  }

  void add(const py::handle& object, const RowSet& rows) {
    const Entry old = std::exchange(entries_[next_++ % entries_.size()],
                                    Entry{py::reinterpret_borrow<py::object>(object), rows});
  }

 private:
  struct Entry {
    py::object object;
    RowSet rows;
  };
  std::array<Entry, 4> entries_;
  std::size_t next_ = 0;
};

// Serialised sizes that are cached. Smaller sets are parsed as fast as they are looked up, and
// larger ones would hold much memory that nobody may ask for again.
constexpr std::size_t kLeastCachedBytes = 512;
constexpr std::size_t kMostCachedBytes = std::size_t{16} << 20;

// Never freed, because Python may be finalised before static objects are destroyed.
ParsedCache& cache() {
  static ParsedCache* const all = new ParsedCache;
  return *all;
}

bool is_immutable(const py::handle& object) {
  return PyBytes_CheckExact(object.ptr()) ||
         std::string_view(Py_TYPE(object.ptr())->tp_name) == "pyroaring.FrozenBitMap";
}

// Parses the serialisation of `object`, and caches the result when that is safe and worth it.
RowSet parsed(const py::handle& object, const py::bytes& bytes, std::string_view name) {
  const std::string_view view(bytes);
  const std::size_t size = view.size();
  RowSet rows =
      without_gil([&] { return RowSet::from_portable(std::as_bytes(std::span(view)), name); });
  if (is_immutable(object) && size >= kLeastCachedBytes && size <= kMostCachedBytes)
    cache().add(object, rows);
  return rows;
}

RowSet from_mask(const py::array& mask, std::string_view name) {
  const bool is_contiguous = (mask.flags() & py::array::c_style) != 0;
  if (!mask.dtype().equal(py::dtype::of<bool>()) || mask.ndim() != 1 || !is_contiguous) {
    fail(ErrorCode::kInvalidArgument,
         std::string(name) +
             ": expected a contiguous bool array with one entry for each row, got " +
             std::string(py::str(mask.dtype())) + " with " + std::to_string(mask.ndim()) + " axes");
  }
  const std::span entries(static_cast<const std::uint8_t*>(mask.data()),
                          static_cast<std::size_t>(mask.size()));
  return without_gil([&] { return RowSet::from_mask(entries); });
}

}  // namespace

RowSet rows_of(const py::handle& rows, std::string_view name) {
  if (const RowSet* found = cache().find(rows)) return *found;
  if (py::isinstance<py::bytes>(rows))
    return parsed(rows, py::reinterpret_borrow<py::bytes>(rows), name);
  if (py::isinstance<py::array>(rows))
    return from_mask(py::reinterpret_borrow<py::array>(rows), name);
  if (py::isinstance<PyRows>(rows)) {
    fail(ErrorCode::kInvalidArgument,
         std::string(name) + ": a RowSet knows its generation: give it without one");
  }
  if (py::hasattr(rows, "serialize"))
    return parsed(rows, py::bytes(rows.attr("serialize")()), name);
  fail(ErrorCode::kInvalidArgument,
       std::string(name) +
           ": expected a RowSet, a pyroaring.BitMap, its bytes or a bool array, got " +
           Py_TYPE(rows.ptr())->tp_name);
}

RowFilter::RowFilter(const py::handle& filter, const py::handle& kinds) {
  static const std::array<Filter, kAllKinds + 1> all{Filter{0, {}}, Filter{1, {}}, Filter{2, {}},
                                                     Filter{3, {}}};
  const Kinds bits = kinds_of(kinds);
  if (filter.is_none()) {
    shared_ = &all[bits];
    return;
  }
  if (py::isinstance<PyRows>(filter)) {
    const auto& set = py::cast<const PyRows&>(filter);
    own_ = Filter{bits, set.rows, set.generation};
    return;
  }
  if (!PyTuple_Check(filter.ptr())) {
    own_ = Filter{bits, rows_of(filter, "filter")};
    return;
  }
  const auto pair = py::reinterpret_borrow<py::tuple>(filter);
  if (pair.size() != 2) {
    fail(ErrorCode::kInvalidArgument,
         "filter: expected (rows, generation), got a tuple of " + std::to_string(pair.size()));
  }
  own_ = Filter{bits, rows_of(pair[0], "filter"),
                static_cast<std::uint64_t>(count(pair[1], "generation"))};
}

Audiences::Audiences(const py::handle& audiences) {
  if (audiences.is_none()) return;
  if (!py::isinstance<PyRows>(audiences)) {
    numbers_ = rows_of(audiences, "audiences");
    return;
  }
  const auto& set = py::cast<const PyRows&>(audiences);
  if (set.generation) {
    fail(ErrorCode::kInvalidArgument,
         "audiences: expected the numbers given to add_edges, got rows of an engine");
  }
  numbers_ = set.rows;
}

}  // namespace knarr::bindings
