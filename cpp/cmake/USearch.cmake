# USearch's headers, for the graph plan. The one file that includes them gets them: nothing else is
# compiled in another way because of them.
#
# Taken, in this order, from
#   1. -DKNARR_USEARCH_DIR=DIR, a folder with usearch/index.hpp (offline builds);
#   2. the pinned usearch source distribution, which carries them; pip fetches it once, and its
#      SHA-256 is checked.
# Without them, or with -DKNARR_GRAPH=OFF, everything else is built and engines keep no graph.
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
  set(_fetch "${CMAKE_BINARY_DIR}/usearch")
  set(_dir "${_fetch}/usearch-${_usearch_version}/include")
  if(NOT EXISTS "${_dir}/usearch/index.hpp")
    message(STATUS "Fetching USearch's headers (usearch ${_usearch_version}, source distribution)")
    execute_process(
      COMMAND ${Python_EXECUTABLE} -m pip download --quiet --no-deps --no-binary usearch
              --dest "${_fetch}" usearch==${_usearch_version}
      RESULT_VARIABLE _rc ERROR_VARIABLE _err)
    set(_sdist "${_fetch}/usearch-${_usearch_version}.tar.gz")
    if(_rc EQUAL 0 AND EXISTS "${_sdist}")
      file(SHA256 "${_sdist}" _sum)
      if(NOT _sum STREQUAL _usearch_sha256)
        message(FATAL_ERROR "${_sdist}: SHA-256 is ${_sum}, expected ${_usearch_sha256}")
      endif()
      file(ARCHIVE_EXTRACT INPUT "${_sdist}" DESTINATION "${_fetch}"
           PATTERNS "usearch-${_usearch_version}/include/*")
    endif()
  endif()
elseif(NOT EXISTS "${_dir}/usearch/index.hpp")
  message(FATAL_ERROR "KNARR_USEARCH_DIR=${_dir}: expected usearch/index.hpp there")
endif()

if(NOT EXISTS "${_dir}/usearch/index.hpp")
  message(WARNING
    "USearch's headers not found: pip could not fetch the source distribution "
    "usearch==${_usearch_version} (${_err}). The build goes on without the graph plan. Without a "
    "network, unpack that distribution and pass -DKNARR_USEARCH_DIR=<its folder include> "
    "(pip: -C cmake.define.KNARR_USEARCH_DIR=<folder>); -DKNARR_GRAPH=OFF silences this.")
  return()
endif()
message(STATUS "Graph plan: USearch from ${_dir}")
set_source_files_properties(cpp/vectors/graph_links.cc PROPERTIES
  COMPILE_DEFINITIONS KNARR_USEARCH=1 COMPILE_OPTIONS "-isystem;${_dir}")
