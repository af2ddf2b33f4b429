# Compares what the built program prints with a golden file; called by ctest as
#   cmake -DPROGRAM=... -DARGUMENTS="causal;--seed;123" -DGOLDEN=file -DACTUAL=file [-DPAGE=ON] -P golden.cmake
# With PAGE the golden file holds an article's figures: all of them must appear, in order, but blank lines and
# indentation, which pages lose, do not count, and lines between them may be added.
get_filename_component(folder ${ACTUAL} DIRECTORY)
file(MAKE_DIRECTORY ${folder})
execute_process(COMMAND ${PROGRAM} ${ARGUMENTS} OUTPUT_FILE ${ACTUAL} ERROR_VARIABLE errors RESULT_VARIABLE code)
if(code EQUAL 0 AND errors MATCHES "this processor cannot run OpenBLAS's haswell kernels")
  message("SKIPPED: this processor has other kernels than the golden files were made with")
  return()
endif()
if(NOT code EQUAL 0 OR NOT errors STREQUAL "")
  message(FATAL_ERROR "${PROGRAM} ${ARGUMENTS} ended with ${code}: ${errors}")
endif()

if(PAGE)
  execute_process(COMMAND diff -B -w ${GOLDEN} ${ACTUAL} OUTPUT_VARIABLE difference RESULT_VARIABLE code)
  if(code GREATER 1)
    message(FATAL_ERROR "diff ended with ${code}")
  endif()
  if("\n${difference}" MATCHES "\n<")
    message(FATAL_ERROR "the page has lines that the program does not print:\n${difference}")
  endif()
  return()
endif()

execute_process(COMMAND diff -u ${GOLDEN} ${ACTUAL} OUTPUT_VARIABLE difference RESULT_VARIABLE code)
if(NOT code EQUAL 0)
  list(GET ARGUMENTS 0 chapter)
  message(FATAL_ERROR "${difference}\nTo accept what PyTorch prints now:\n"
                      "  /usr/bin/python3 golden/make_golden.py ${chapter} && git diff golden")
endif()
