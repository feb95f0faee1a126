// Rows that a caller may see, as Python gives them.
//
// The same rights come with one call after the other, and reading them costs more than a search in
// a section. So the sets made of the last few objects that cannot change, bytes and FrozenBitMaps,
// are kept, and the objects with them, so that no other comes to lie where they are.
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "bindings/boundary.h"
#include "filter/rows.h"

namespace knarr::bindings {
namespace {

// The GIL guards it.
class Known {
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

// Sets of so many serialised bytes are kept: smaller ones are read as fast, larger ones would hold
// much memory for nobody.
constexpr std::size_t kLeastKept = 512;
constexpr std::size_t kMostKept = std::size_t{16} << 20;

// Never freed: at the end of the process Python may be gone before it.
Known& known() {
  static Known* const all = new Known;
  return *all;
}

bool cannot_change(const py::handle& object) {
  return PyBytes_CheckExact(object.ptr()) ||
         std::string_view(Py_TYPE(object.ptr())->tp_name) == "pyroaring.FrozenBitMap";
}

RowSet from_bytes(const py::bytes& bytes) {
  const std::string_view view(bytes);
  return without_gil([&] { return RowSet::from_portable(std::as_bytes(std::span(view))); });
}

// Of an object that these are the bytes of.
RowSet kept(const py::handle& object, const py::bytes& bytes) {
  const std::size_t size = std::string_view(bytes).size();
  RowSet rows = from_bytes(bytes);
  if (cannot_change(object) && size >= kLeastKept && size <= kMostKept) known().add(object, rows);
  return rows;
}

RowSet from_mask(const py::array& mask) {
  const bool is_contiguous = (mask.flags() & py::array::c_style) != 0;
  if (!mask.dtype().equal(py::dtype::of<bool>()) || mask.ndim() != 1 || !is_contiguous) {
    fail(ErrorCode::kInvalidArgument,
         "filter: expected a contiguous bool array with one entry for each row, got " +
             std::string(py::str(mask.dtype())) + " with " + std::to_string(mask.ndim()) + " axes");
  }
  const std::span entries(static_cast<const std::uint8_t*>(mask.data()),
                          static_cast<std::size_t>(mask.size()));
  return without_gil([&] { return RowSet::from_mask(entries); });
}

}  // namespace

RowSet allowed_rows(const py::handle& rows) {
  if (const RowSet* found = known().find(rows)) return *found;
  if (py::isinstance<py::bytes>(rows)) return kept(rows, py::reinterpret_borrow<py::bytes>(rows));
  if (py::isinstance<py::array>(rows)) return from_mask(py::reinterpret_borrow<py::array>(rows));
  if (py::hasattr(rows, "serialize")) return kept(rows, py::bytes(rows.attr("serialize")()));
  fail(ErrorCode::kInvalidArgument,
       std::string("filter: expected a pyroaring.BitMap, its bytes or a bool array, got ") +
           Py_TYPE(rows.ptr())->tp_name);
}

}  // namespace knarr::bindings
