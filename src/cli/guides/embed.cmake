# cmake -DOUTPUT=guides_text.cpp -DFOLDER=src/cli/guides -DGUIDES=verify,ports -P embed.cmake
# Makes a table of the guides' texts.
string(REPLACE "," ";" GUIDES "${GUIDES}")
set(rows "")
foreach(guide IN LISTS GUIDES)
  file(READ "${FOLDER}/${guide}.md" text)
  if(text MATCHES "\\)guide\"")
    message(FATAL_ERROR "${guide}.md contains )guide\", which ends the string that it is to become")
  endif()
  string(APPEND rows "      {\"${guide}\", R\"guide(${text})guide\"},\n")
endforeach()
file(WRITE "${OUTPUT}" "#include \"cli/help.hpp\"\n\nnamespace attn::cli {\n\n\
std::span<const Guide> guides() {\n  static constexpr Guide table[] = {\n${rows}  };\n  return table;\n}\n\n\
}  // namespace attn::cli\n")
