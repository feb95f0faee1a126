// Codes: each row in half a bit to one bit per dimension, from which its cosine with a query is
// estimated, with an error bound.
//
// Rows are coded in chunks of kChunkRows that follow each other. A chunk is coded when its last row
// has been written and never changes; the rows after the last whole chunk have no code yet.
//
// The estimator is that of RaBitQ (Gao and Long, "RaBitQ: Quantizing High-Dimensional Vectors with
// a Theoretical Error Bound for Approximate Nearest Neighbor Search", SIGMOD 2024). A row v of a
// chunk with the centre c, the mean of its rows, is rotated at random, and R(v - c), of n
// dimensions, is replaced by a vector s that a code can name: each few dimensions by the nearest
// word of a small codebook. Beside the code, two numbers are kept. With f = |v - c|² /
// (s · R(v - c)) and b = (v - c)·c - f · (s · Rc),
//
//     v · q  ≈  c · q + b + f · (s · Rq)
//
// for any q, without bias over random R, and with a standard deviation of at most
// spread · f · |q - c|, where spread² = |s|² (1 - x²) / (n - 1) and x is the cosine of s and
// R(v - c). Rounding f by δ adds an error of δ · (s · R(q - c)), because b is made with the rounded
// f. Neither bias nor spread depends on the rows, since only R is random, so this holds for any
// codebook.
//
// We differ in two ways. The part of the estimate that belongs to the centre is moved into b: a
// chunk may then have a centre of its own, the mean of the rows beside it, and nothing is ever
// coded again as a store grows. And from kLeastCrossPolytopeDim dimensions on, codes use half a bit
// per dimension (see Codebook).
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
#include "vectors/codes/rotation.h"

namespace knarr {

// The 16 words of a codebook: what four bits of a code stand for.
//
// kSigns: the corners of a cube in 4 dimensions; bit i is 1 where dimension i is not negative. This
// is the code of RaBitQ, one bit per dimension. kCrossPolytope: plus or minus a unit vector in 8
// dimensions; bits 0 to 2 name the dimension of the largest magnitude, bit 3 is 1 where it is
// negative. Half a bit per dimension, as in cross-polytope hashing (Andoni et al., NIPS 2015).
//
// For a normally distributed vector x² is 0.64 with signs and 0.40 with the cross-polytope. Signs
// of half of the dimensions would give 0.32, and no other sixteen words in 8 dimensions that we
// searched for give more than the cross-polytope.
enum class Codebook : std::uint8_t { kSigns, kCrossPolytope };

// From this dimension on half a bit per dimension tells rows apart well enough, in half the bytes.
inline constexpr std::size_t kLeastCrossPolytopeDim = 384;

constexpr Codebook codebook_for(std::size_t dim) {
  return dim < kLeastCrossPolytopeDim ? Codebook::kSigns : Codebook::kCrossPolytope;
}

// The dimensions of a word.
constexpr std::size_t word_dims(Codebook codebook) { return codebook == Codebook::kSigns ? 4 : 8; }

// The dimensions of a code byte, which names two words, the first in its low half.
constexpr std::size_t byte_dims(Codebook codebook) { return 2 * word_dims(codebook); }

inline constexpr std::size_t kBlockCodes = 32;  // rows of a block
inline constexpr std::size_t kChunkBlocks = 16;
inline constexpr std::size_t kChunkRows = kBlockCodes * kChunkBlocks;

struct ChunkTerms {
  float factor_step;
  float offset_low;
  float offset_step;
  float spread;          // the largest of the chunk's rows
  float rounding;        // times |q - c|: the standard deviation that rounded factors add, at most
  float centre_length2;  // |c|²
};

// Where the parts of a chunk lie, in bytes.
struct ChunkShape {
  explicit ChunkShape(std::size_t dim);

  std::size_t dim;
  Codebook codebook;
  std::size_t code_bytes;  // of a row
  std::size_t block_bytes;
  std::size_t factors_at;
  std::size_t offsets_at;
  std::size_t terms_at;
  std::size_t centre_at;
  std::size_t size_bytes;  // of a chunk: a multiple of 64
  std::size_t slot_bytes;  // of a row's slot, see gather.h: a multiple of 16
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
  explicit Coder(std::size_t dim) : rotation_(dim, byte_dims(codebook_for(dim))), shape_(dim) {}

  const Rotation& rotation() const { return rotation_; }
  const ChunkShape& shape() const { return shape_; }

  // Codes kChunkRows unit vectors into out, shape().size_bytes bytes at a multiple of 64. A row
  // with a number that is not finite gets a code of no meaning and spoils no other.
  void code(std::span<const float* const> rows, std::byte* out) const;

 private:
  Rotation rotation_;
  ChunkShape shape_;
};

// Chunks in memory of another owner, such as a mapped file.
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

  // Asks a file for the chunks [begin, end), and waits for nothing.
  void ask_for(std::size_t begin, std::size_t end) const {
    end = end < adopted_ ? end : adopted_;
    if (pages_ != nullptr && begin < end) pages_->ask_for(begin, end);
  }

  // The slots of a chunk's rows (gather.h). For adopted chunks they are made on first use.
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
