# cmake -DOUTPUT=lesson_page.cpp -DFOLDER=src/render/page -DPAGE=lesson -DSPACE=attn::render::page
#       -DPARTS=a.css,b.js,c.js -P embed.cmake
# Turns a page's sources into strings: lesson.css and the styles among the parts, one after the other, become
# attn::render::page::lesson_css, and the scripts lesson_js: a function lessonPage that starts the page. What listens to the window or
# the document listens as long as `life` is not aborted; addresses within the page begin with `prefix`.
file(READ "${FOLDER}/${PAGE}.html" html)
file(READ "${FOLDER}/${PAGE}.css" css)
string(REPLACE "," ";" PARTS "${PARTS}")
set(js "\"use strict\";\nconst ${PAGE}Page = (life = new AbortController().signal, prefix = \"\") => {\n")
foreach(part IN LISTS PARTS)
  file(READ "${FOLDER}/${part}" source)
  if(part MATCHES "[.]css$")
    string(APPEND css "${source}")
  else()
    string(APPEND js "${source}\n")
  endif()
endforeach()
string(APPEND js "};\n")

set(text "#include <string_view>\n\nnamespace ${SPACE} {\n")
foreach(name IN ITEMS html css js)
  if(${name} MATCHES "\\)page\"")
    message(FATAL_ERROR "the page's ${name} contains )page\", which ends the string that it is to become")
  endif()
  string(APPEND text "\nextern const std::string_view ${PAGE}_${name};\n"
                     "const std::string_view ${PAGE}_${name} = R\"page(${${name}})page\";\n")
endforeach()
string(APPEND text "\n}  // namespace ${SPACE}\n")
file(WRITE "${OUTPUT}" "${text}")
