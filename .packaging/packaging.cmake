# What `cpack` makes: a .deb and a .tar.xz with their SHA-256 sums. Both are the same bytes whenever, wherever and by
# whomever they are made from the same sources, libraries and tools: their files are as old as this version, ATTN_DATE.

set(ATTN_CONTACT "attn-walkthrough maintainers <maintainers@attn-walkthrough.example>" CACHE STRING
    "Who answers for the packages")
set(packaging ${CMAKE_CURRENT_BINARY_DIR}/packaging)
set(notices ${packaging}/notices)

# What becomes part of the binary, and the Debian package whose copyright file is its notice.
set(compiled_in xtensor libxtensor-dev  xtl xtl-dev  cli11 libcli11-dev  nlohmann-json nlohmann-json3-dev)
if(ATTN_STATIC)
  list(APPEND compiled_in utf8proc libutf8proc-dev  zlib zlib1g-dev  ncurses libncurses-dev
                          glibc libc6-dev  gcc libstdc++6)
endif()
if(ATTN_OPENBLAS)
  list(APPEND compiled_in xtensor-blas libxtensor-blas-dev)
  if(ATTN_STATIC)
    list(APPEND compiled_in openblas libopenblas-pthread-dev)
  endif()
endif()
if(ATTN_LIVE)
  list(APPEND compiled_in emscripten emscripten  fast-float libfast-float-dev  fmt libfmt-dev  range-v3 librange-v3-dev)
endif()

set(without_notice)
set(ATTN_COMPILED_IN)
set(licences)
file(REMOVE_RECURSE ${notices}) # of a build with other options
file(MAKE_DIRECTORY ${notices})
while(compiled_in)
  list(POP_FRONT compiled_in name package)
  set(notice /usr/share/doc/${package}/copyright)
  if(NOT EXISTS ${notice})
    list(APPEND without_notice ${name})
    continue()
  endif()
  file(READ ${notice} text)
  file(WRITE ${notices}/${name} "${text}")
  string(REGEX MATCHALL "/usr/share/common-licenses/[A-Za-z]+[0-9]*(-[0-9]+(\\.[0-9]+)?)?" named "${text}")
  list(APPEND licences ${named})
  execute_process(COMMAND dpkg-query -W -f "\${source:Package} \${source:Version}\n" ${package}
                  OUTPUT_VARIABLE source ERROR_QUIET)
  string(REGEX REPLACE "\n.*" "" source "${source}")  # it may be installed for several architectures
  string(APPEND ATTN_COMPILED_IN "  notices/${name}: ${source}\n")
endwhile()
list(REMOVE_DUPLICATES licences)
list(SORT licences)

configure_file(.packaging/copyright.in ${packaging}/copyright @ONLY)
install(FILES ${packaging}/copyright CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY ${notices} DESTINATION ${CMAKE_INSTALL_DOCDIR})

add_custom_target(uninstall VERBATIM
  COMMAND ${CMAKE_COMMAND} -DMANIFEST=${CMAKE_CURRENT_BINARY_DIR}/install_manifest.txt
          -P ${CMAKE_CURRENT_SOURCE_DIR}/.packaging/uninstall.cmake)

if(without_notice OR (CMAKE_CROSSCOMPILING AND NOT CMAKE_CROSSCOMPILING_EMULATOR))
  list(JOIN without_notice ", " without_notice)
  message(STATUS "No packages can be made here: no Debian copyright file of: ${without_notice}")
  return()
endif()

execute_process(COMMAND date -u -d ${ATTN_DATE} +%s OUTPUT_VARIABLE ATTN_EPOCH OUTPUT_STRIP_TRAILING_WHITESPACE
                COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${CMAKE_COMMAND} -E env LC_ALL=C date -u -R -d ${ATTN_DATE} OUTPUT_VARIABLE ATTN_RFC_DATE
                OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)

# Debian has these licences at the place that the notices name, some as links; the .tar.xz brings them.
foreach(licence IN LISTS licences)
  get_filename_component(name ${licence} NAME)
  file(REAL_PATH ${licence} licence)
  install(FILES ${licence} RENAME ${name} DESTINATION ${CMAKE_INSTALL_DOCDIR}/notices/common-licenses
          COMPONENT archive EXCLUDE_FROM_ALL)
endforeach()
configure_file(.packaging/changelog.in ${packaging}/changelog @ONLY)
install(FILES ${packaging}/changelog DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT debian EXCLUDE_FROM_ALL)
if(ATTN_STATIC)
  install(FILES .packaging/lintian-overrides DESTINATION ${CMAKE_INSTALL_DATADIR}/lintian/overrides
          RENAME ${PROJECT_NAME} COMPONENT debian EXCLUDE_FROM_ALL)
endif()

set(CPACK_GENERATOR DEB TXZ)
if(CMAKE_CROSSCOMPILING)
  set(CPACK_GENERATOR TXZ)
endif()
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)  # each_package.cmake builds the program, without the tests
set(CPACK_PACKAGE_CHECKSUM SHA256)
set(CPACK_PACKAGE_VENDOR "the attn-walkthrough maintainers")
set(CPACK_PACKAGE_CONTACT ${ATTN_CONTACT})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "attention mechanism, every tensor printed as PyTorch prints it")
set(CPACK_PACKAGE_DESCRIPTION "Walks through the attention mechanism of transformers step by step and prints
every intermediate tensor as PyTorch does, digit for digit, without PyTorch.
.
It checks the tensors printed in an article or a notebook, shows a class how
each number comes about, and compares a port to another language with the
reference.")
set(CPACK_PACKAGE_FILE_NAME ${PROJECT_NAME}-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_PACKAGE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/packages)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION education)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
if(NOT ATTN_STATIC)
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
endif()
configure_file(.packaging/each_package.cmake.in ${packaging}/each_package.cmake @ONLY)
set(CPACK_PROJECT_CONFIG_FILE ${packaging}/each_package.cmake)
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_SOURCE_DIR}/.packaging/stage.cmake)
set(CPACK_POST_BUILD_SCRIPTS ${CMAKE_CURRENT_SOURCE_DIR}/.packaging/repack.cmake)
include(CPack)
