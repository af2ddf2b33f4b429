# WebAssembly: libraries that are headers are read from where Debian has them for the machine that builds; the others are
# compiled from Debian's source packages. And how emscripten compiles and links.
enable_language(C)

set(headers ${CMAKE_BINARY_DIR}/headers)
file(MAKE_DIRECTORY ${headers})
foreach(folder IN ITEMS CLI nlohmann xtensor xtl fast_float fmt range concepts meta std)  # the last four are range-v3's
  if(NOT EXISTS /usr/include/${folder})
    message(FATAL_ERROR "No /usr/include/${folder}; .debian-packages lists what is needed.")
  endif()
  file(CREATE_LINK /usr/include/${folder} ${headers}/${folder} SYMBOLIC)
endforeach()
foreach(library IN ITEMS xtensor CLI11::CLI11 nlohmann_json::nlohmann_json)
  add_library(${library} INTERFACE IMPORTED)
  target_include_directories(${library} INTERFACE ${headers})
endforeach()

add_compile_options(-fwasm-exceptions -finline-functions)  # emscripten's -Os inlines nothing, which takes three times as long
add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-include${CMAKE_CURRENT_LIST_DIR}/standard_library.hpp>
                    $<$<COMPILE_LANGUAGE:CXX>:-isystem${headers}>)

set(sources ${CMAKE_BINARY_DIR}/sources)
if(NOT EXISTS ${sources}/done)
  message(STATUS "Fetching the source packages of utf8proc and zlib")
  execute_process(COMMAND ${CMAKE_CURRENT_LIST_DIR}/debian_sources ${sources} utf8proc zlib COMMAND_ERROR_IS_FATAL ANY)
  file(TOUCH ${sources}/done)
endif()

# c_library(NAME FOLDER file...)
function(c_library name folder)
  list(TRANSFORM ARGN PREPEND ${sources}/${folder}/ OUTPUT_VARIABLE files)
  add_library(${name} STATIC ${files})
  target_include_directories(${name} PUBLIC ${sources}/${folder})
  set_target_properties(${name} PROPERTIES UNITY_BUILD OFF)
  target_compile_options(${name} PRIVATE -w)
endfunction()
c_library(zlib zlib adler32.c compress.c crc32.c deflate.c infback.c inffast.c inflate.c inftrees.c trees.c uncompr.c zutil.c)
add_library(ZLIB::ZLIB ALIAS zlib)
c_library(utf8proc utf8proc utf8proc.c)
target_compile_definitions(utf8proc PUBLIC UTF8PROC_STATIC)
set(UTF8PROC_INCLUDE_DIR ${sources}/utf8proc)
set(utf8proc utf8proc)

add_library(standard_library STATIC ${CMAKE_CURRENT_LIST_DIR}/standard_library.cpp)

# A function that makes a new instance; whoever calls it gives the arguments, reads what is written, and has the files.
add_link_options(-Oz -fwasm-exceptions -sMODULARIZE -sEXPORT_NAME=attnWalkthrough -sENVIRONMENT=node,web,worker
                 -sINVOKE_RUN=0 -sEXPORTED_RUNTIME_METHODS=FS,callMain -sFORCE_FILESYSTEM
                 -sALLOW_MEMORY_GROWTH -sMAXIMUM_MEMORY=2GB)
