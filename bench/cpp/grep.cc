// How fast is text searched, by kind of pattern and width of scope?
//
// Documents of 100 rows of about 500 bytes, of made-up words; one row in a thousand has a rare
// word. The upper bound is a search for a single byte that does not occur ("memchr"). "scan" is the
// same search without the index.
#include "grep/grep.h"

#include <cstring>
#include <string>

#include "harness.h"

namespace knarr::bench {
namespace {

constexpr std::size_t kPerDocument = 100;
constexpr std::size_t kRowBytes = 500;

std::string row_text(Random& random, bool rare) {
  static const char* const kSyllables[] = {"ka", "lo", "mi", "ren", "tas", "vu", "del", "or"};
  std::string text;
  while (text.size() < kRowBytes) {
    for (unsigned n = 1 + random() % 3; n > 0; --n) text += kSyllables[random() % 8];
    text += random() % 12 == 0 ? ".\n" : " ";
  }
  if (rare) text += "The Penalty is 5 percent.\n";
  return text + "\n";
}

GrepOptions with(bool literal, bool ignore_case) {
  GrepOptions options;
  options.literal = literal;
  options.ignore_case = ignore_case;
  options.timeout_ms = 600'000;
  return options;
}

}  // namespace

void bench_grep(const Options& options) {
  const std::size_t documents = std::max<std::size_t>(options.rows / 1000, 1);
  TextStore store;
  Random random(4);
  for (std::size_t d = 0; d < documents; ++d) {
    std::string text;
    std::vector<Slice> slices;
    for (std::size_t i = 0; i < kPerDocument; ++i) {
      const auto begin = static_cast<std::uint32_t>(text.size());
      const std::size_t row = d * kPerDocument + i;
      text += row_text(random, row % 1000 == 500 || row == 5);
      slices.push_back({static_cast<Row>(row), begin, static_cast<std::uint32_t>(text.size())});
    }
    store.append(std::move(text), slices);
  }
  const TextView view = store.view();
  const auto rows = static_cast<Row>(documents * kPerDocument);
  struct Scope {
    const char* name;
    RowSet rows;
  };
  for (const Scope& scope :
       {Scope{"everything", RowSet::range(0, rows)}, Scope{"one document", RowSet::range(0, 100)},
        Scope{"one section", RowSet::range(0, 10)}}) {
    double bytes = 0;
    scope.rows.for_each_range([&](Row begin, Row end) {
      for (Row row = begin; row < end; ++row) bytes += static_cast<double>(view.text(row).size());
    });
    const auto scan_for_nul = [&] {
      scope.rows.for_each_range([&](Row begin, Row end) {
        for (Row row = begin; row < end; ++row) {
          keep(std::memchr(view.text(row).data(), 0, view.text(row).size()));
        }
      });
    };
    const auto pattern = [&](const char* text, GrepOptions how) {
      return [&view, &scope, text, how] { keep(grep(view, scope.rows, text, how).total); };
    };
    const auto scan = [&](const char* text, GrepOptions how) {
      how.index = IndexUse::kNever;
      return pattern(text, how);
    };
    race("grep",
         {{"scope", quoted(scope.name)},
          {"rows", number(scope.rows.size())},
          {"bytes", number(static_cast<std::size_t>(bytes))}},
         options,
         {{"memchr", scan_for_nul, 1, bytes},
          {"literal, rare", pattern("Penalty", with(true, false)), 1, bytes},
          {"literal, rare, scan", scan("Penalty", with(true, false)), 1, bytes},
          {"literal, absent", pattern("Forfeit", with(true, false)), 1, bytes},
          {"ignore case, rare", pattern("penalty", with(true, true)), 1, bytes},
          {"ignore case, rare, scan", scan("penalty", with(true, true)), 1, bytes},
          {"alternation, rare", pattern("Penalty|Forfeit|Late fee", with(false, false)), 1, bytes},
          {"alternation, rare, scan", scan("Penalty|Forfeit|Late fee", with(false, false)), 1,
           bytes},
          {"numbers", pattern(R"(\b\d+ percent)", with(false, false)), 1, bytes},
          {"line anchor", pattern("^The .* percent", with(false, false)), 1, bytes},
          {"common word", pattern("lomi", with(true, false)), 1, bytes}});
  }
}

}  // namespace knarr::bench
