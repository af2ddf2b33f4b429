# cmake -DOUTPUT=lesson_page.cpp -DFOLDER=src/render/page -P embed.cmake
# Turns the page's sources into strings: lesson.css becomes attn::render::page::lesson_css.
set(text "#include <string_view>\n\nnamespace attn::render::page {\n")
foreach(name IN ITEMS html css js)
  file(READ "${FOLDER}/lesson.${name}" source)
  if(source MATCHES "\\)page\"")
    message(FATAL_ERROR "lesson.${name} contains )page\", which ends the string that it is to become")
  endif()
  string(APPEND text "\nextern const std::string_view lesson_${name};\n"
                     "const std::string_view lesson_${name} = R\"page(${source})page\";\n")
endforeach()
string(APPEND text "\n}  // namespace attn::render::page\n")
file(WRITE "${OUTPUT}" "${text}")
