#include "grep/text_codec.h"

#include <algorithm>

#include "base/coding.h"
#include "base/error.h"
#include "base/parallel.h"

namespace knarr {
namespace {

constexpr std::string_view kBytes = "text.bytes";
constexpr std::string_view kBlocks = "text.blocks";
constexpr std::string_view kIndex = "text.index";

// Changes whenever the same texts would make other tables.
constexpr std::uint32_t kIndexVersion = 1;
constexpr std::size_t kIndexHeaderBytes = 64;

constexpr std::size_t kWorkerBytes = std::size_t{4} << 20;  // of text, for a thread of its own
constexpr std::size_t kBlockRecordBytes = 8;
constexpr std::size_t kSliceRecordBytes = 8;

struct FoundBlock {
  std::string_view text;
  std::vector<Slice> slices;
};

std::vector<Slice> read_slices(Decoder& in, std::uint32_t count, std::uint64_t rows_end) {
  if (count > in.left() / kSliceRecordBytes) in.refuse("a count that its bytes cannot hold");
  std::vector<Slice> slices;
  slices.reserve(count);
  std::uint64_t at = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    const Row row = in.u32();
    if (row >= rows_end) in.refuse("row " + std::to_string(row) + " is not in use");
    const std::uint64_t end = at + in.u32();
    if (end > UINT32_MAX) in.refuse("slices over 4 GiB");
    slices.push_back({row, static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(end)});
    at = end;
  }
  return slices;
}

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
  if (!tables) return;  // it is made anew from the texts
  const PageIndex::View& pages = texts.pages();
  const std::string header = index_header(pages.table_words());
  writer.begin(kIndex);
  writer.append(std::as_bytes(std::span(header)));
  for (std::size_t u = 0; u < pages.unit_count(); ++u) {
    writer.append(std::as_bytes(std::span(pages.unit(u).words(), pages.unit(u).table_words())));
  }
  writer.end();
}

void load_index(const std::shared_ptr<const Snapshot>& snapshot, TextStore& store) {
  if (!snapshot->has(kIndex)) return;
  const ByteSpan bytes = snapshot->section(kIndex);
  const std::string what = snapshot->path() + ": section '" + std::string(kIndex) + "'";
  Decoder in(bytes, what);
  if (in.u32() != kIndexVersion || in.u32() != kPageBytes) return;
  const PageIndex::Units units = store.index_units();
  if (in.u64() != units.words() ||
      bytes.size() != kIndexHeaderBytes + units.words() * sizeof(std::uint64_t)) {
    in.refuse("its size does not fit the texts");
  }
  // Sections stand at multiples of 64 bytes, in memory too.
  const auto* words = reinterpret_cast<const std::uint64_t*>(bytes.data() + kIndexHeaderBytes);
  std::vector<PageUnit::Table> tables;
  for (std::size_t u = 0; u < units.count(); ++u) {
    tables.push_back({words, snapshot});
    words += kLines * (u < units.large ? kLargeWords : 1);
  }
  store.adopt_index(tables);
}

}  // namespace

void save_texts(const TextView& texts, SnapshotWriter& writer) {
  Encoder blocks;
  blocks.u64(texts.block_count());
  writer.begin(kBytes);
  for (BlockId id = 0; id < texts.block_count(); ++id) {
    const Block* block = texts.block(id);
    blocks.u32(block == nullptr ? 0 : block->size());
    blocks.u32(block == nullptr ? 0 : block->slice_count());
    if (block == nullptr) continue;
    for (std::uint32_t i = 0; i < block->slice_count(); ++i) {
      const Slice slice = block->slice(i);
      blocks.u32(slice.row);
      blocks.u32(slice.end_byte - slice.begin_byte);
    }
    writer.append(std::as_bytes(std::span(block->text())));
  }
  writer.end();
  writer.add(kBlocks, blocks.bytes());
  save_index(texts, writer);
}

TextStore load_texts(const std::shared_ptr<const Snapshot>& snapshot) {
  const std::string_view bytes = snapshot->section_text(kBytes);
  const std::string what = snapshot->path() + ": section '" + std::string(kBlocks) + "'";
  Decoder in(snapshot->section(kBlocks), what);
  const std::uint64_t blocks = in.count(kBlockRecordBytes);
  std::vector<FoundBlock> found;
  found.reserve(blocks);
  std::size_t at = 0;
  for (std::uint64_t i = 0; i < blocks; ++i) {
    const std::uint32_t size = in.u32();
    const std::uint32_t slices = in.u32();
    if (size > bytes.size() - at) in.refuse("a block beyond the texts");
    if (slices == 0 && size != 0) in.refuse("a released block with a text");
    found.push_back({bytes.substr(at, size), read_slices(in, slices, snapshot->size_bytes())});
    at += size;
  }
  in.expect_end();
  if (at != bytes.size()) in.refuse("texts without a block");

  constexpr std::size_t kTaskBlocks = 64;
  std::vector<std::shared_ptr<const Block>> made(found.size());
  const std::size_t tasks = (found.size() + kTaskBlocks - 1) / kTaskBlocks;
  const auto workers = std::min<std::size_t>(bytes.size() / kWorkerBytes + 1, max_workers());
  parallel_for(tasks, static_cast<unsigned>(workers), [&](unsigned, std::size_t task) {
    for (std::size_t i = task * kTaskBlocks; i < std::min((task + 1) * kTaskBlocks, found.size());
         ++i) {
      if (found[i].slices.empty()) continue;
      try {
        made[i] = std::make_shared<const Block>(found[i].text, snapshot, found[i].slices);
      } catch (const Error& error) {
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
