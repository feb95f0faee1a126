#include "grep/text/text_codec.h"

#include <algorithm>
#include <bit>

#include "base/coding.h"
#include "base/error.h"
#include "base/parallel.h"
#include "snapshot/pages.h"

namespace knarr {
namespace {

constexpr std::string_view kBytes = "text.bytes";
constexpr std::string_view kBlocks = "text.blocks";
constexpr std::string_view kIndex = "text.index";

constexpr std::size_t kTextPageBytes = std::size_t{64} << 10;
constexpr std::size_t kIndexPageBytes =
    kPostings * sizeof(std::uint64_t);  // a word of each posting

// Changes whenever the same texts would give other tables.
constexpr std::uint32_t kIndexVersion = 1;
constexpr std::size_t kIndexHeaderBytes = 64;

constexpr std::size_t kWorkerBytes = std::size_t{4} << 20;  // of text for each thread
constexpr std::size_t kBlockRecordBytes = 12;
constexpr std::size_t kSliceRecordBytes = 8;
static_assert(std::endian::native == std::endian::little, "slices are mapped as they are stored");

// The texts of a file. In a large file, each page is checked before its first use.
class MappedTexts : public UncheckedTexts {
 public:
  MappedTexts(std::shared_ptr<const Snapshot> snapshot, OpenedSection section)
      : snapshot_(std::move(snapshot)), section_(std::move(section)) {}

  void check(std::string_view bytes) const override {
    if (!section_.pages) return;
    const auto* begin = reinterpret_cast<const std::byte*>(bytes.data());
    const auto at = static_cast<std::size_t>(begin - section_.bytes.data());
    section_.pages->need(at / kTextPageBytes,
                         (at + bytes.size() + kTextPageBytes - 1) / kTextPageBytes);
  }
  void refuse(std::string_view reason) const override { snapshot_->corrupt(kBytes, reason); }

 private:
  std::shared_ptr<const Snapshot> snapshot_;
  OpenedSection section_;
};

struct FoundBlock {
  std::string_view text;
  std::uint32_t match_size;
  SliceTable slices;
};

std::string index_header(std::size_t words) {
  Encoder out;
  out.u32(kIndexVersion);
  out.u32(kPageBytes);
  out.u64(words);
  std::string bytes = out.bytes();
  bytes.resize(kIndexHeaderBytes, '\0');
  return bytes;
}

void save_index(const TextView& texts, SnapshotWriter& writer) {
  const auto tables = texts.plain_index();
  if (!tables) return;  // loading makes the index anew from the texts
  const PageIndex::View& pages = texts.pages();
  const std::string header = index_header(pages.table_words());
  PagedSection section(writer, kIndex, kIndexPageBytes);
  section.append(std::as_bytes(std::span(header)));
  section.start();
  for (std::size_t u = 0; u < pages.unit_count(); ++u) {
    section.append(std::as_bytes(std::span(pages.unit(u).words(), pages.unit(u).table_words())));
  }
  section.end();
}

void load_index(const std::shared_ptr<const Snapshot>& snapshot, TextStore& store) {
  if (!snapshot->has(kIndex)) return;
  const OpenedSection opened = open_paged(snapshot, kIndex, kIndexHeaderBytes, kIndexPageBytes,
                                          [](ByteSpan) { return true; });
  const std::string what = snapshot->path() + ": section '" + std::string(kIndex) + "'";
  Decoder in(opened.bytes, what);
  if (in.u32() != kIndexVersion || in.u32() != kPageBytes) return;
  const PageIndex::Units units = store.index_units();
  if (in.u64() != units.words() ||
      opened.bytes.size() != kIndexHeaderBytes + units.words() * sizeof(std::uint64_t)) {
    in.refuse("its size does not fit the texts");
  }
  // Sections stand at multiples of 64 bytes, in memory too.
  const auto* words =
      reinterpret_cast<const std::uint64_t*>(opened.bytes.data() + kIndexHeaderBytes);
  std::vector<PageUnit::Table> tables;
  std::size_t page = 0;
  for (std::size_t u = 0; u < units.count(); ++u) {
    const std::size_t posting_words = u < units.large ? kLargeWords : 1;
    // Small units are read again when they are merged, which must not fail.
    if (opened.pages && u >= units.large) opened.pages->need(page);
    tables.push_back({words, snapshot, opened.pages, page});
    words += kPostings * posting_words;
    page += posting_words;
  }
  store.adopt_index(tables);
}

// Refuses rows from `rows_end` on, as far as the slices ascend.
std::vector<FoundBlock> find_blocks(ByteSpan section, Decoder& in, std::string_view bytes,
                                    std::uint64_t rows_end) {
  const std::uint64_t blocks = in.count(kBlockRecordBytes);
  const std::uint64_t slices = in.count(kSliceRecordBytes);
  if (in.left() != blocks * kBlockRecordBytes + slices * kSliceRecordBytes) {
    in.refuse("its counts do not fit it");
  }
  const std::byte* const columns = section.data() + (section.size() - slices * kSliceRecordBytes);
  const auto* rows = reinterpret_cast<const Row*>(columns);
  const auto* ends = reinterpret_cast<const std::uint32_t*>(columns) + slices;
  std::vector<FoundBlock> found;
  found.reserve(blocks);
  std::size_t at = 0, slice = 0;
  for (std::uint64_t i = 0; i < blocks; ++i) {
    const std::uint32_t size = in.u32();
    const std::uint32_t match_size = in.u32();
    const std::uint32_t count = in.u32();
    if (size > bytes.size() - at) in.refuse("a block beyond the texts");
    if (match_size > size) in.refuse("a match text that is longer than its text");
    if (count == 0 && size != 0) in.refuse("a released block with a text");
    if (count > slices - slice) in.refuse("a block beyond the slices");
    found.push_back({bytes.substr(at, size), match_size, {rows + slice, ends + slice, count}});
    at += size;
    slice += count;
    if (count > 0 && rows[slice - 1] >= rows_end) in.refuse("a row that is not in use");
  }
  if (at != bytes.size()) in.refuse("texts without a block");
  if (slice != slices) in.refuse("slices without a block");
  return found;
}

}  // namespace

void save_texts(const TextView& texts, SnapshotWriter& writer) {
  Encoder blocks, rows, ends;
  std::uint64_t slices = 0;
  PagedSection bytes(writer, kBytes, kTextPageBytes);
  bytes.start();
  for (BlockId id = 0; id < texts.block_count(); ++id) {
    const Block* block = texts.block(id);
    blocks.u32(block == nullptr ? 0 : block->size());
    blocks.u32(block == nullptr ? 0 : block->match_size());
    blocks.u32(block == nullptr ? 0 : block->slice_count());
    if (block == nullptr) continue;
    for (std::uint32_t i = 0; i < block->slice_count(); ++i) {
      rows.u32(block->slice(i).row);
      ends.u32(block->slice(i).end_byte);
    }
    slices += block->slice_count();
    bytes.append(std::as_bytes(std::span(block->text())));
  }
  bytes.end();
  Encoder counts;
  counts.u64(texts.block_count());
  counts.u64(slices);
  writer.begin(kBlocks);
  for (const Encoder* part : {&counts, &blocks, &rows, &ends}) {
    writer.append(std::as_bytes(std::span(part->bytes())));
  }
  writer.end();
  save_index(texts, writer);
}

TextStore load_texts(const std::shared_ptr<const Snapshot>& snapshot) {
  OpenedSection opened =
      open_paged(snapshot, kBytes, 0, kTextPageBytes, [](ByteSpan) { return true; });
  const std::string_view bytes(reinterpret_cast<const char*>(opened.bytes.data()),
                               opened.bytes.size());
  const std::string what = snapshot->path() + ": section '" + std::string(kBlocks) + "'";
  Decoder in(snapshot->section(kBlocks), what);
  const std::vector<FoundBlock> found =
      find_blocks(snapshot->section(kBlocks), in, bytes, snapshot->size_bytes());
  const bool is_checked = opened.pages == nullptr;
  const auto texts = std::make_shared<const MappedTexts>(snapshot, std::move(opened));

  constexpr std::size_t kTaskBlocks = 64;
  std::vector<std::shared_ptr<const Block>> made(found.size());
  const std::size_t tasks = (found.size() + kTaskBlocks - 1) / kTaskBlocks;
  const auto workers = std::min<std::size_t>(bytes.size() / kWorkerBytes + 1, max_workers());
  parallel_for(tasks, static_cast<unsigned>(workers), [&](unsigned, std::size_t task) {
    for (std::size_t i = task * kTaskBlocks; i < std::min((task + 1) * kTaskBlocks, found.size());
         ++i) {
      const FoundBlock& each = found[i];
      if (each.slices.count == 0) continue;
      try {
        made[i] = std::make_shared<const Block>(each.text, texts, each.match_size, each.slices);
        if (is_checked) made[i]->text();
      } catch (const Error& error) {
        if (error.code() == ErrorCode::kCorruption) throw;
        in.refuse("block " + std::to_string(i) + ": " + error.what());
      }
    }
  });
  TextStore store;
  for (std::size_t i = 0; i < made.size(); ++i) {
    try {
      made[i] ? store.append(std::move(made[i])) : store.append_released();
    } catch (const Error& error) {
      in.refuse("block " + std::to_string(i) + ": " + error.what());
    }
  }
  load_index(snapshot, store);
  return store;
}

}  // namespace knarr
