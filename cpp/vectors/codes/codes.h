// Codes: a few letters of four bits for a row, from which its cosine with a query is estimated.
//
// Rows are coded in chunks of kChunkRows that follow each other. A chunk is coded when its last row
// has been written and never changes; the rows after the last whole chunk have no code yet. A row v
// of a chunk with the centre c, the mean of its rows, is kept as the letters s of R(v - c), where R
// is a rotation to n numbers, and as two numbers. With f = |v - c|² / (s · R(v - c)), where s is
// the vector that the letters stand for (letters.h), and b = (v - c)·c - f · (s · Rc),
//
//     v · q  ≈  c · q + b + f · (s · Rq)
//
// for any q, without bias over random R, and with a standard deviation of at most
// spread · f · |q - c|, where spread² = |s|² (1 - x²) / (n - 1) and x is the cosine of s and
// R(v - c). What rounding f loses by, δ, adds an error of δ · (s · R(q - c)), for b is made with
// the f that is kept. This is the estimator of RaBitQ (Gao and Long, 2024) with the part that
// belongs to the centre moved into b: so a chunk may have a centre of its own, which is always that
// of the rows beside it, and nothing is ever coded again as a store grows. It holds for any
// letters: no bias and no spread depends on what the rows are, since only R is random.
//
// A chunk is one piece of memory, which snapshots map as it is:
//
//     blocks    kChunkBlocks times (code_bytes, 32) bytes: byte i of 32 rows, then byte i + 1
//     factors   kChunkRows u8: f in steps of terms.factor_step
//     offsets   kChunkRows u8: b in steps of terms.offset_step above terms.offset_low
//     terms     ChunkTerms
//     centre    a row of bfloat16 with a factor of 1 (row_format.h), then zeros up to a multiple of
//               64 bytes
//
// Threads: CodeStore belongs to one writer. A CodeView is immutable and may be read by any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/checked_pages.h"
#include "base/function_ref.h"
#include "base/types.h"
#include "vectors/codes/letters.h"
#include "vectors/codes/rotation.h"

namespace knarr {

inline constexpr std::size_t kBlockCodes = 32;  // rows of a block
inline constexpr std::size_t kChunkBlocks = 16;
inline constexpr std::size_t kChunkRows = kBlockCodes * kChunkBlocks;

struct ChunkTerms {
  float factor_step;
  float offset_low;
  float offset_step;
  float spread;          // the largest of the chunk's rows
  float rounding;        // the standard deviation that rounded factors add, at most, by |q - c|
  float centre_length2;  // |c|²
};

// Where the parts of a chunk lie, in bytes.
struct ChunkShape {
  explicit ChunkShape(std::size_t dim);

  std::size_t dim;
  Letters letters;
  std::size_t code_bytes;  // of a row
  std::size_t block_bytes;
  std::size_t factors_at;
  std::size_t offsets_at;
  std::size_t terms_at;
  std::size_t centre_at;
  std::size_t size_bytes;  // of a chunk: a multiple of 64
  std::size_t slot_bytes;  // of a row's slot, see scattered.h: a multiple of 16
};

// Reads a chunk.
struct ChunkView {
  const std::byte* data;
  const ChunkShape* shape;

  const std::byte* block(std::size_t i) const { return data + i * shape->block_bytes; }
  const std::uint8_t* factors() const { return at<std::uint8_t>(shape->factors_at); }
  const std::uint8_t* offsets() const { return at<std::uint8_t>(shape->offsets_at); }
  const ChunkTerms& terms() const { return *at<ChunkTerms>(shape->terms_at); }
  const std::byte* centre() const { return data + shape->centre_at; }

 private:
  template <class T>
  const T* at(std::size_t offset) const {
    return reinterpret_cast<const T*>(data + offset);
  }
};

// Makes chunks. Immutable.
class Coder {
 public:
  explicit Coder(std::size_t dim) : rotation_(dim, byte_numbers(letters_for(dim))), shape_(dim) {}

  const Rotation& rotation() const { return rotation_; }
  const ChunkShape& shape() const { return shape_; }

  // Codes kChunkRows unit vectors into out, shape().size_bytes bytes at a multiple of 64. A row
  // with a number that is not finite gets a code of no meaning and spoils no other.
  void code(std::span<const float* const> rows, std::byte* out) const;

 private:
  Rotation rotation_;
  ChunkShape shape_;
};

// Chunks that live in memory of somebody else.
struct AdoptedCodes {
  const std::byte* data = nullptr;  // chunks one after the other, at a multiple of 64
  std::size_t chunks = 0;
  std::shared_ptr<const void> owner;
  // A page for each chunk that is yet to be checked; none: all are trusted.
  std::shared_ptr<const CheckedPages> pages = {};
};

class CodeView {
 public:
  CodeView() = default;  // no codes

  std::size_t chunks() const { return chunks_; }
  // The rows [0, rows()) have codes.
  Row rows() const { return static_cast<Row>(chunks_ * kChunkRows); }
  const Coder& coder() const { return *coder_; }  // requires chunks() > 0

  // Throws Error kCorruption for a chunk of a file that turns out to be damaged, as slots() does.
  ChunkView chunk(std::size_t i) const {
    const ChunkShape& shape = coder_->shape();
    if (i < adopted_) {
      if (pages_ != nullptr) pages_->need(i);
      return {front_ + i * shape.size_bytes, &shape};
    }
    const std::size_t at = i - adopted_;
    return {segments_[at / per_segment_] + at % per_segment_ * shape.size_bytes, &shape};
  }

  // Whether all chunks were read before, or lie in memory.
  bool is_checked() const { return pages_ == nullptr || pages_->all(); }

  // Asks for what a file holds of the chunks [begin, end), and waits for nothing.
  void ask_for(std::size_t begin, std::size_t end) const {
    end = end < adopted_ ? end : adopted_;
    if (pages_ != nullptr && begin < end) pages_->ask_for(begin, end);
  }

  // The slots of a chunk's rows. Those of adopted chunks are made when they are first asked for.
  const std::byte* slots(std::size_t chunk) const;

 private:
  friend class CodeStore;
  struct Table;

  std::shared_ptr<const Table> table_;  // owns what the pointers below show
  const Coder* coder_ = nullptr;
  const CheckedPages* pages_ = nullptr;
  const std::byte* const* segments_ = nullptr;
  const std::byte* front_ = nullptr;
  std::size_t adopted_ = 0;
  std::size_t chunks_ = 0;
  std::size_t per_segment_ = 1;
};

class CodeStore {
 public:
  explicit CodeStore(std::size_t dim, AdoptedCodes front = {});

  const Coder& coder() const { return *coder_; }
  std::size_t chunks() const { return chunks_; }

  // Codes chunks until there are `chunks`. find(first, out, room) fills `out` with pointers to the
  // kChunkRows vectors from row `first` on, which it may write to `room`; it is called from several
  // threads when there is much to do.
  using FindRows =
      FunctionRef<void(Row first, std::span<const float*> out, std::vector<float>& room)>;
  void grow(std::size_t chunks, FindRows find);

  CodeView view() const;
  std::size_t size_bytes() const;  // of chunks and slots

 private:
  void reserve(std::size_t chunks);
  std::byte* writable(std::size_t chunk) const;
  std::byte* writable_slots(std::size_t chunk) const;

  std::shared_ptr<const Coder> coder_;
  std::size_t adopted_;
  std::size_t chunks_;
  std::size_t per_segment_;
  std::vector<std::byte*> segments_;
  std::vector<std::byte*> slot_segments_;
  std::shared_ptr<const CodeView::Table> table_;
};

}  // namespace knarr
