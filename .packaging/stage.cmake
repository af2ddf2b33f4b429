# What cpack does between installing the files and packing them: in a .deb they get Debian's places; all get one age, and
# all folders one mode.
if(CPACK_GENERATOR STREQUAL DEB)
  set(share ${CPACK_TEMPORARY_DIRECTORY}${CPACK_PACKAGING_INSTALL_PREFIX}/share)
  file(MAKE_DIRECTORY ${share}/zsh/vendor-completions)
  file(RENAME ${share}/zsh/site-functions/_attn-walkthrough ${share}/zsh/vendor-completions/_attn-walkthrough)
  file(REMOVE_RECURSE ${share}/zsh/site-functions)
  set(doc ${share}/doc/attn-walkthrough)
  execute_process(COMMAND gzip -9n ${share}/man/man1/attn-walkthrough.1 ${doc}/changelog ${doc}/CHANGELOG.md
                  COMMAND_ERROR_IS_FATAL ANY)
endif()
execute_process(COMMAND find ${CPACK_TEMPORARY_DIRECTORY} -type d -exec chmod 755 {} + COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND find ${CPACK_TEMPORARY_DIRECTORY} -exec touch -h -d @$ENV{SOURCE_DATE_EPOCH} {} +
                COMMAND_ERROR_IS_FATAL ANY)
