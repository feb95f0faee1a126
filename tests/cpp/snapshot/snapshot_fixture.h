// Helpers for tests of snapshots: a temporary folder, a file of three sections, the error of
// opening bytes.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <span>
#include <string>

#include "base/error.h"
#include "snapshot/snapshot.h"

namespace knarr {

class SnapshotTest : public ::testing::Test {
 protected:
  SnapshotTest()
      : folder_(std::filesystem::temp_directory_path() /
                ("knarr_snapshot_" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(folder_);
  }
  ~SnapshotTest() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name = "x.snapshot") const { return folder_ / name; }

  static std::string read(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  static void write(const std::string& path, const std::string& bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
  }

  // Three sections: of odd size, empty, of several pieces.
  std::string written() const {
    SnapshotWriter writer(path());
    writer.add("first", "odd bytes");
    writer.add("empty", "");
    writer.begin("third");
    for (int i = 0; i < 50; ++i) writer.append(std::as_bytes(std::span("piece", 5)));
    writer.end();
    writer.finish();
    return read(path());
  }

  // The error that opening these bytes gives.
  Error refusal_of(const std::string& bytes) const {
    write(path("refused"), bytes);
    try {
      Snapshot::open(path("refused"));
    } catch (const Error& error) {
      return error;
    }
    return {ErrorCode::kIo, "not refused"};
  }

  std::filesystem::path folder_;
};

}  // namespace knarr
