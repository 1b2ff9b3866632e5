# What `make install` puts where, and `make package` into a Debian package: programs, man pages and completions made from
# the programs' own help, units for systemd, licence and examples.
include(GNUInstallDirs)

set(EVALFLEET_PROGRAMS evalfleet evalfleet-coordinator evalfleet-worker)
set(package_folder ${CMAKE_BINARY_DIR}/package)
set(package_sources ${CMAKE_SOURCE_DIR}/.cmake/package)

set(package_files)
foreach(program ${EVALFLEET_PROGRAMS})
    set(page ${package_folder}/man1/${program}.1)
    add_custom_command(OUTPUT ${page}
        COMMAND ${CMAKE_COMMAND} -E make_directory ${package_folder}/man1
        COMMAND ${package_sources}/man-page $<TARGET_FILE:${program}> > ${page}
        DEPENDS ${program} ${package_sources}/man-page
        VERBATIM)
    list(APPEND package_files ${page})
endforeach()
foreach(shell bash zsh fish)
    set(script ${package_folder}/completion.${shell})
    add_custom_command(OUTPUT ${script}
        COMMAND ${CMAKE_COMMAND} -E make_directory ${package_folder}
        COMMAND $<TARGET_FILE:evalfleet> completion ${shell} > ${script}
        DEPENDS evalfleet
        VERBATIM)
    list(APPEND package_files ${script})
endforeach()
# Not part of `all`: nobody but a package needs them.
add_custom_target(package_documents DEPENDS ${package_files})

foreach(unit evalfleet-coordinator evalfleet-worker)
    # The prefix may be chosen when it is installed.
    install(CODE "set(BINDIR \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_BINDIR}\")
configure_file(\"${package_sources}/${unit}.service\" \"${package_folder}/${unit}.service\" @ONLY)")
    install(FILES ${package_folder}/${unit}.service DESTINATION lib/systemd/system)
endforeach()
install(TARGETS ${EVALFLEET_PROGRAMS} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY ${package_folder}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR})
install(FILES ${package_folder}/completion.bash
    DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME evalfleet)
install(FILES ${package_folder}/completion.zsh
    DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions RENAME _evalfleet)
install(FILES ${package_folder}/completion.fish
    DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d RENAME evalfleet.fish)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/evalfleet RENAME copyright)
install(DIRECTORY docs/examples/ DESTINATION ${CMAKE_INSTALL_DATADIR}/evalfleet/examples
    FILES_MATCHING PATTERN "*.yaml" PATTERN "*.jsonl")

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME evalfleet)
set(CPACK_PACKAGE_CONTACT "evalfleet maintainers <maintainers@evalfleet.invalid>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION misc)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS redis-server)
include(CPack)
