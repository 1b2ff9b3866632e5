#!/bin/bash
# What `make install` puts where: programs, a man page of each with all of its flags, completions, units that systemd takes.
# Usage: package.sh BUILD_DIR
set -eu
build=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "FAILED: $*" >&2; exit 1; }
cmake --build "$build" --target package_documents > "$work/build.log" 2>&1 || fail "$(tail -n 5 "$work/build.log")"
cmake --install "$build" --prefix "$work/usr" > "$work/install.log" 2>&1 || fail "$(tail -n 5 "$work/install.log")"
cd "$work/usr"
for program in evalfleet evalfleet-coordinator evalfleet-worker; do
    [ -x bin/$program ] || fail "no $program"
    page=share/man/man1/$program.1
    grep -q '^.SH NAME' $page || fail "$page is no page"
    for flag in $(env -i bin/$program --help | grep -o -e ' --[a-z0-9-]*' | sort -u); do
        grep -qF -e "${flag//-/\\-}" $page || fail "$page lacks $flag"
    done
    ! command -v groff > /dev/null || [ -z "$(groff -man -ww -Tutf8 $page 2>&1 > /dev/null)" ] || fail "$page: groff warns"
done
grep -qF 'evalfleet submit' share/man/man1/evalfleet.1 || fail "a command is missing"
for file in share/bash-completion/completions/evalfleet share/zsh/vendor-completions/_evalfleet \
            share/fish/vendor_completions.d/evalfleet.fish share/doc/evalfleet/copyright share/evalfleet/examples/demo.yaml; do
    [ -s $file ] || fail "no $file"
done
bash -n share/bash-completion/completions/evalfleet
for unit in evalfleet-coordinator evalfleet-worker; do
    file=lib/systemd/system/$unit.service
    grep -q "^ExecStart=$work/usr/bin/$unit " $file || fail "$file names another program: $(grep ^ExecStart $file)"
    for flag in $(grep ^ExecStart $file | grep -o -e '--[a-z-]*'); do
        env -i bin/$unit --help | grep -q -e "  $flag" || fail "$file: $flag is no flag of $unit"
    done
    ! command -v systemd-analyze > /dev/null || {
        said=$(MANPATH=$work/usr/share/man systemd-analyze verify "$PWD/$file" 2>&1 | grep "$unit" || true)
        [ -z "$said" ] || fail "$said"
    }
done
echo "all is well"
