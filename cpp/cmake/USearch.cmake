# USearch's headers, for the graph plan. The one file that includes them gets them: nothing else is
# compiled in another way because of them.
#
# Taken, in this order, from
#   1. -DKNARR_USEARCH_DIR=DIR, a folder with usearch/index.hpp (offline builds);
#   2. the pinned usearch source distribution, which carries them.
# Without them, or with -DKNARR_GRAPH=OFF, everything else is built and engines keep no graph.
include(Sdist)
option(KNARR_GRAPH "Build the graph plan (needs USearch's headers)" ON)
set(KNARR_USEARCH_DIR "" CACHE PATH "Folder with usearch/index.hpp")
set(_usearch_version 2.26.6)
set(_usearch_sha256 eefb8dc019ad5a184f6089b22f20b91b3961720e504e97ba2718ad62ed65674b)

if(NOT KNARR_GRAPH)
  message(STATUS "Graph plan: off (KNARR_GRAPH=OFF)")
  return()
endif()

set(_dir "${KNARR_USEARCH_DIR}")
if(NOT _dir)
  knarr_fetch_sdist(usearch ${_usearch_version} ${_usearch_sha256} include _sdist _error)
  if(_error)
    message(WARNING
      "USearch's headers not found: ${_error}. The build goes on without the graph plan. Without a "
      "network, unpack that distribution and pass -DKNARR_USEARCH_DIR=<its folder include> "
      "(pip: -C cmake.define.KNARR_USEARCH_DIR=<folder>); -DKNARR_GRAPH=OFF silences this.")
    return()
  endif()
  set(_dir "${_sdist}/include")
elseif(NOT EXISTS "${_dir}/usearch/index.hpp")
  message(FATAL_ERROR "KNARR_USEARCH_DIR=${_dir}: expected usearch/index.hpp there")
endif()
message(STATUS "Graph plan: USearch from ${_dir}")
set_source_files_properties(cpp/vectors/graph/graph.cc PROPERTIES
  COMPILE_DEFINITIONS KNARR_USEARCH=1 COMPILE_OPTIONS "-isystem;${_dir}")
