# cmake -DFOLDER=<folder> -DRUNBOOKS=<file> -DOUTPUT=<file.cpp> -P EmbedFiles.cmake
#
# Writes a C++ source with the bytes of every file under FOLDER, of RUNBOOKS as docs/runbooks.md,
# and one hash over all of them: with
# another file, name or byte it is another hash. See coordinator/web/assets.hpp.
file(GLOB_RECURSE files RELATIVE ${FOLDER} ${FOLDER}/*)
list(FILTER files EXCLUDE REGEX "(^|/)\\.")
list(SORT files)

set(entries "")
set(fingerprint "")
foreach(name IN LISTS files ITEMS docs/runbooks.md)
    set(file ${FOLDER}/${name})
    if(name STREQUAL docs/runbooks.md)
        set(file ${RUNBOOKS})
    endif()
    file(SHA256 ${file} sum)
    string(APPEND fingerprint "${name} ${sum}\n")
    file(READ ${file} hex HEX)
    string(LENGTH "${hex}" digits)
    math(EXPR bytes "${digits} / 2")
    string(REGEX REPLACE "(..)" "\\\\x\\1" text "${hex}")
    string(APPEND entries "    {\"${name}\", {\"${text}\", ${bytes}}},\n")
endforeach()
string(SHA256 hash "${fingerprint}")
string(SUBSTRING ${hash} 0 16 hash)

set(source "#include \"coordinator/web/assets.hpp\"

// Written by .cmake/EmbedFiles.cmake.
namespace evalfleet::web {

const std::vector<EmbeddedFile>& embedded_files() {
    static const std::vector<EmbeddedFile> files = {
${entries}    };
    return files;
}

std::string_view embedded_hash() {
    return \"${hash}\";
}

}  // namespace evalfleet::web
")
# Left as it is if nothing changed: nothing has to be compiled then.
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "@source@" @ONLY)
