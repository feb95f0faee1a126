# knarr_fetch_sdist(NAME VERSION SHA256 PART DIR ERROR): unpacks PART/* of a pinned source distribution
# and sets DIR to its folder NAME-VERSION, or ERROR to the reason why pip could not fetch it.
#
# pip fetches, from the index that it is set up for; the SHA-256 is checked. What was fetched stays in
# KNARR_FETCH_DIR: all builds of a checkout use the same files, under the same names, so that a compiler
# cache knows them.
set(KNARR_FETCH_DIR "${CMAKE_CURRENT_SOURCE_DIR}/build/sources" CACHE PATH "Where fetched sources are kept")

function(knarr_fetch_sdist name version sha256 part dir_out error_out)
  set(_full "${name}-${version}")
  set(_dir "${KNARR_FETCH_DIR}/${_full}")
  set(${error_out} "" PARENT_SCOPE)
  set(${dir_out} "${_dir}" PARENT_SCOPE)
  if(EXISTS "${_dir}/${part}")
    return()
  endif()
  message(STATUS "Fetching ${part} of the source distribution ${_full}")
  string(RANDOM LENGTH 8 _random)
  set(_tmp "${KNARR_FETCH_DIR}/${_full}.${_random}")  # of another build that fetches now, nothing is seen
  execute_process(
    COMMAND ${Python_EXECUTABLE} -m pip download --quiet --no-deps --no-binary ${name}
            --dest "${_tmp}" ${name}==${version}
    RESULT_VARIABLE _rc ERROR_VARIABLE _err)
  set(_sdist "${_tmp}/${_full}.tar.gz")
  if(NOT _rc EQUAL 0 OR NOT EXISTS "${_sdist}")
    set(${error_out} "pip could not fetch the source distribution ${name}==${version} (${_err})" PARENT_SCOPE)
    file(REMOVE_RECURSE "${_tmp}")
    return()
  endif()
  file(SHA256 "${_sdist}" _sum)
  if(NOT _sum STREQUAL sha256)
    message(FATAL_ERROR "${_sdist}: SHA-256 is ${_sum}, expected ${sha256}")
  endif()
  file(ARCHIVE_EXTRACT INPUT "${_sdist}" DESTINATION "${_tmp}" PATTERNS "${_full}/${part}/*")
  file(RENAME "${_tmp}/${_full}" "${_dir}" RESULT _ignored)  # fails where another build was faster
  file(REMOVE_RECURSE "${_tmp}")
  if(NOT EXISTS "${_dir}/${part}")
    message(FATAL_ERROR "${_dir}: expected the folder ${part} there; is KNARR_FETCH_DIR writable?")
  endif()
endfunction()
