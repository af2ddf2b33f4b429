# cmake -DCMARK=cmark -DSHARE=build/share -DGUIDES=src/cli/guides -DDATE=2026-11-23 -DVERSION=1.0 -P manual.cmake
# Makes the manual page SHARE/attn-walkthrough.1 of what --help says (SHARE/*.help) and of the guides.
cmake_minimum_required(VERSION 3.25)

set(text "# NAME\n\nattn-walkthrough - every tensor of attention, as PyTorch prints it\n")
set(all program chapter verify layer)
set(titles "SYNOPSIS AND COMMANDS" "OPTIONS OF A CHAPTER" "OPTIONS OF VERIFY" "OPTIONS OF LAYER")
foreach(one title IN ZIP_LISTS all titles)
  file(READ ${SHARE}/${one}.help help)
  string(APPEND text "\n# ${title}\n\n````\n${help}````\n")
endforeach()
foreach(guide verify ports layers kernels classroom formats glossary)
  file(READ ${GUIDES}/${guide}.md guide)
  string(APPEND text "\n${guide}")
endforeach()
string(APPEND text "
# EXIT STATUS

0: success. 1: only verify: a check of a page or a port failed. 2: error; the line on standard error names the cause.

# ENVIRONMENT

- PAGER: the pager for long output on a terminal (default: less); none if it is empty or cat.
- NO_COLOR: if it is not empty, output has no colours.
- COLUMNS: the width of the terminal.
- OPENBLAS_CORETYPE: SkylakeX selects these kernels if --blas is not given.
")
file(WRITE ${SHARE}/manual.md "${text}")
execute_process(COMMAND ${CMARK} -t man ${SHARE}/manual.md OUTPUT_VARIABLE page COMMAND_ERROR_IS_FATAL ANY)
# Lines that groff would take for requests, and a font that terminals do not have.
string(REPLACE "\n...\n" "\n\\&...\n" page "${page}")
string(REPLACE ".nf\n\\f[C]\n" ".nf\n" page "${page}")
string(REPLACE "\\f[]\n.fi" ".fi" page "${page}")
string(REPLACE "\\f[C]" "\\fB" page "${page}")
string(REPLACE "\\f[]" "\\fR" page "${page}")
file(WRITE ${SHARE}/attn-walkthrough.1 ".TH ATTN\\-WALKTHROUGH 1 ${DATE} \"attn-walkthrough ${VERSION}\" \"User Commands\"
.nh
.ad l
${page}")
