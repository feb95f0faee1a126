# CRoaring as the target `knarr_roaring`.
#
# Taken, in this order, from
#   1. -DKNARR_ROARING_DIR=DIR, a folder with the amalgamated roaring.h and roaring.c (offline builds);
#   2. a system CRoaring of version 2 or newer (pkg-config `roaring`);
#   3. the pinned pyroaring source distribution, which carries the amalgamated sources.
set(KNARR_ROARING_DIR "" CACHE PATH "Folder with CRoaring's amalgamated roaring.h and roaring.c")
include(Sdist)
set(_pyroaring_version 1.2.0)
set(_pyroaring_sha256 e33bf8fc8d8aad7373f62147cb5dbfaf0fdcf19af8069d034cd8ef4fb41a78af)

if(NOT KNARR_ROARING_DIR)
  find_package(PkgConfig QUIET)
  if(PkgConfig_FOUND)
    pkg_check_modules(ROARING QUIET IMPORTED_TARGET roaring>=2.0.0)
  endif()
endif()

if(ROARING_FOUND)
  message(STATUS "CRoaring ${ROARING_VERSION} from the system")
  add_library(knarr_roaring INTERFACE)
  target_link_libraries(knarr_roaring INTERFACE PkgConfig::ROARING)
  target_compile_definitions(knarr_roaring INTERFACE KNARR_SYSTEM_ROARING=1)
  return()
endif()

set(_dir "${KNARR_ROARING_DIR}")
if(NOT _dir)
  knarr_fetch_sdist(pyroaring ${_pyroaring_version} ${_pyroaring_sha256} pyroaring _sdist _error)
  if(_error)
    message(FATAL_ERROR
      "CRoaring not found: the system has no roaring >= 2.0 and ${_error}. Without a network, unpack "
      "that distribution and pass -DKNARR_ROARING_DIR=<folder with roaring.c> "
      "(pip: -C cmake.define.KNARR_ROARING_DIR=<folder>).")
  endif()
  set(_dir "${_sdist}/pyroaring")
endif()
if(NOT EXISTS "${_dir}/roaring.c" OR NOT EXISTS "${_dir}/roaring.h")
  message(FATAL_ERROR "KNARR_ROARING_DIR=${_dir}: expected roaring.h and roaring.c there")
endif()
message(STATUS "CRoaring from ${_dir}")
add_library(knarr_roaring STATIC "${_dir}/roaring.c")
target_include_directories(knarr_roaring SYSTEM INTERFACE "${_dir}")
set_target_properties(knarr_roaring PROPERTIES POSITION_INDEPENDENT_CODE ON C_VISIBILITY_PRESET hidden)
target_compile_options(knarr_roaring PRIVATE -w)
