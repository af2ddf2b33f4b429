# cpack packs a .tar.xz in the order of the folder on disk, and with the owner who runs it: so it is packed again.
if(CPACK_GENERATOR STREQUAL TXZ)
  get_filename_component(folder ${CPACK_TEMPORARY_DIRECTORY} DIRECTORY)
  get_filename_component(name ${CPACK_TEMPORARY_DIRECTORY} NAME)
  execute_process(
    COMMAND tar --create --sort=name --format=ustar --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX
                --mtime=@$ENV{SOURCE_DATE_EPOCH} --use-compress-program=xz --file=${CPACK_PACKAGE_FILES}
                --directory=${folder} ${name}
    COMMAND_ERROR_IS_FATAL ANY)
endif()
