# cpack packs a .tar.xz in the order of the folder on disk, and with the owner who runs it; and the parts of a .deb have the
# modes that the umask leaves: so both are packed again.
get_filename_component(folder ${CPACK_TEMPORARY_DIRECTORY} DIRECTORY)
get_filename_component(name ${CPACK_TEMPORARY_DIRECTORY} NAME)
if(CPACK_GENERATOR STREQUAL TXZ)
  execute_process(
    COMMAND tar --create --sort=name --format=ustar --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX
                --mtime=@$ENV{SOURCE_DATE_EPOCH} --use-compress-program=xz --file=${CPACK_PACKAGE_FILES}
                --directory=${folder} ${name}
    COMMAND_ERROR_IS_FATAL ANY)
else()
  file(REMOVE ${CPACK_PACKAGE_FILES})
  execute_process(COMMAND ar rcD ${CPACK_PACKAGE_FILES} debian-binary control.tar.gz data.tar.xz
                  WORKING_DIRECTORY ${CPACK_TEMPORARY_DIRECTORY} COMMAND_ERROR_IS_FATAL ANY)
endif()
