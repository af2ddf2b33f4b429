# cmake -DPROGRAM=attn-walkthrough -DFOLDER=site -P site.cmake
# Makes a folder that any static host serves: an index, the page that computes lessons, and a page of each chapter of each
# article.
cmake_minimum_required(VERSION 3.25)

function(attn output)
  execute_process(COMMAND ${PROGRAM} ${ARGN} OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
  set(${output} "${text}" PARENT_SCOPE)
endfunction()

function(escape output text)
  string(REPLACE "&" "&amp;" text "${text}")
  string(REPLACE "<" "&lt;" text "${text}")
  set(${output} "${text}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE ${FOLDER})
file(MAKE_DIRECTORY ${FOLDER})
attn(live causal --format html --live --output ${FOLDER}/live.html)

attn(list list --format json)
string(JSON last_article LENGTH "${list}" articles)
math(EXPR last_article "${last_article} - 1")
string(JSON last_chapter LENGTH "${list}" chapters)
math(EXPR last_chapter "${last_chapter} - 1")

set(articles)
foreach(a RANGE ${last_article})
  string(JSON article GET "${list}" articles ${a} name)
  string(JSON title GET "${list}" articles ${a} title)
  escape(title "${title}")
  set(entries)
  foreach(c RANGE ${last_chapter})
    string(JSON owner GET "${list}" chapters ${c} article)
    if(owner STREQUAL article)
      string(JSON chapter GET "${list}" chapters ${c} chapter)
      string(JSON summary GET "${list}" chapters ${c} summary)
      escape(summary "${summary}")
      attn(page ${chapter} --article ${article} --format html --output ${FOLDER}/${article}-${chapter}.html)
      string(APPEND entries "<li><a href=\"${article}-${chapter}.html\">${chapter}</a>: ${summary}. "
                            "<a href=\"live.html#${chapter}?article=${article}\">Change it</a></li>\n")
    endif()
  endforeach()
  string(APPEND articles "<h2>${title}</h2>\n<ul>\n${entries}</ul>\n")
endforeach()

file(WRITE ${FOLDER}/index.html "<!doctype html>
<html lang=\"en\">
<head>
<meta charset=\"utf-8\">
<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">
<meta name=\"color-scheme\" content=\"light dark\">
<title>attn-walkthrough: every intermediate tensor of attention</title>
<link rel=\"icon\" href=\"data:,\">
<style>
body { max-width: 46rem; margin: 0 auto; padding: 1rem; font: 1.0625rem/1.5 system-ui, sans-serif; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.2rem; margin-bottom: .3rem; } ul { margin-top: .3rem; }
</style>
</head>
<body>
<main>
<h1>Every intermediate tensor of attention</h1>
<p>Each page shows one chapter: every tensor exactly as PyTorch prints it, and how each number was computed.</p>
<p><a href=\"live.html\">The live page</a> computes every chapter in your browser: change the sentence, the seed and the sizes, or check a page or a dump of your own. Nothing leaves your browser.</p>
${articles}</main>
</body>
</html>
")
