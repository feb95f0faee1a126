# RE2's shared library from the system (or -DKNARR_RE2_DIR=<prefix>) as the target `knarr_re2`.
set(KNARR_RE2_DIR "" CACHE PATH "Prefix that holds include/re2/re2.h and the re2 library")
find_path(RE2_INCLUDE re2/re2.h HINTS "${KNARR_RE2_DIR}" PATH_SUFFIXES include)
find_library(RE2_LIBRARY NAMES re2 HINTS "${KNARR_RE2_DIR}" PATH_SUFFIXES lib lib64)
if(NOT RE2_INCLUDE OR NOT RE2_LIBRARY)
  message(FATAL_ERROR
    "RE2 not found: install it (Debian, Ubuntu: libre2-dev; Fedora: re2-devel; macOS: brew install re2) "
    "or pass -DKNARR_RE2_DIR=<prefix>.")
endif()
add_library(knarr_re2 INTERFACE)
target_include_directories(knarr_re2 SYSTEM INTERFACE "${RE2_INCLUDE}")
target_link_libraries(knarr_re2 INTERFACE "${RE2_LIBRARY}")
