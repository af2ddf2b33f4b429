# cmake -DOUTPUT=live_program.cpp "-DFILES=attn-walkthrough.js;attn-walkthrough.wasm" -P embed_program.cmake
# Turns the program for browsers into strings, compressed and in base64: attn::render::page::live_glue and live_program.
# Without files they are empty.
function(packed result file)
  execute_process(COMMAND gzip -9 -n -c ${file} COMMAND base64 -w 0 OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
  set(${result} ${text} PARENT_SCOPE)
endfunction()

set(glue)
set(program)
if(FILES)
  list(GET FILES 0 glue_file)
  list(GET FILES 1 program_file)
  packed(glue ${glue_file})
  packed(program ${program_file})
endif()
file(WRITE "${OUTPUT}" "#include <string_view>

namespace attn::render::page {

extern const std::string_view live_glue;
const std::string_view live_glue = R\"page(${glue})page\";
extern const std::string_view live_program;
const std::string_view live_program = R\"page(${program})page\";

}  // namespace attn::render::page
")
