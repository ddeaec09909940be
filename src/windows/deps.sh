#!/bin/sh
# Builds the libraries of the Windows program from Debian's source packages (their upstream
# archives, checked against the sums below) for mingw-w64.
#
# usage: src/windows/deps.sh FOLDER (from the root; FOLDER below build/)
#
# FOLDER/archives   the archives; those that are there already are not fetched again
# FOLDER/apt        lists of source packages: the machine's own configuration stays as it is
# FOLDER/install    include/, lib/, bin/ (the DLL), licences/
# FOLDER/stamp      written last: what was built, and how
# FOLDER/lock       held while it works
# Ends with 75 (try later) when the archives cannot be had, with 1 when something else is wrong.
set -eu

host=x86_64-w64-mingw32
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1/archives" "$1/source" "$1/apt" "$1/install/include" "$1/install/lib" \
    "$1/install/bin" "$1/install/licences"
top=$(cd "$1" && pwd)
source=$top/source
install=$top/install
jobs=$(nproc 2>/dev/null || echo 2)

# package, archive, SHA-256
list() {
    cat <<'LIST'
ncurses ncurses_6.4.orig.tar.gz 6931283d9ac87c5073f30b6290c4c75f21632bb4fc3603ac8100812bed248159
libunistring libunistring_1.0.orig.tar.xz 5bab55b49f75d77ed26b257997e919b693f29fd4a1bc22e0e6e024c246c72741
libtermkey libtermkey_0.22.orig.tar.gz 6945bd3c4aaa83da83d80a045c5563da4edd7d0374c62c0d35aec09eb3014600
libzstd libzstd_1.5.4+dfsg2.orig.tar.xz 8cf4bbb65e77ec348d052c8d6230eba66d435bddf64c8b5be2fcb16880c19953
pcre2=10.42-1 pcre2_10.42.orig.tar.gz c33b418e3b936ee3153de2c61cc638e7e4fe3156022a5c77d0711bcbb9d64f1f
expat expat_2.5.0.orig.tar.gz ab00ee05c7067fd10a35c5d2a4922ebba746ddd50ff83b79c828da17bbdf1757
cmocka cmocka_1.1.5.orig.tar.xz f0ccd8242d55e2fd74b16ba518359151f6f8383ff8aef4976e48393f77bba8b6
LIST
}

is_good() {
    [ -f "$top/archives/$1" ] && echo "$2  $top/archives/$1" | sha256sum --status -c
}

# ---- archives ---------------------------------------------------------------------------

# apt-get or apt-cache with lists of its own, of the source packages of the same places.
private_apt() {
    tool=$1 && shift
    "$tool" -q -o Dir::Etc::SourceParts="$top/apt/sources" -o Dir::Etc::SourceList=/dev/null \
        -o Dir::State::Lists="$top/apt/lists" -o APT::Sandbox::User=root \
        -o Acquire::Retries=3 "$@"
}

prepare_apt() {
    mkdir -p "$top/apt/sources" "$top/apt/lists/partial"
    if [ -f /etc/apt/sources.list.d/debian.sources ]; then
        sed 's/^Types:.*/Types: deb-src/' /etc/apt/sources.list.d/debian.sources \
            >"$top/apt/sources/source.sources"
    else
        sed -n 's/^deb /deb-src /p' /etc/apt/sources.list 2>/dev/null \
            >"$top/apt/sources/source.list" || true
    fi
    private_apt apt-get update >"$top/apt/log" 2>&1
}

unavailable() {
    echo "windows-deps: $1; $top/apt/log tells more. Archives put into $top/archives by hand are as good." >&2
    exit 75
}

# Mirrors may lack the newest patches of Debian, which are not needed: the archives count.
download() {
    (cd "$top/archives" && private_apt apt-get source --download-only "$@" >>"$top/apt/log" 2>&1) || true
}

# And they may lack the archive in one of their folders that they have in another.
download_any_version() {
    for version in $(private_apt apt-cache showsrc "${1%=*}" | sed -n 's/^Version: //p'); do
        download "${1%=*}=$version"
    done
}

fetch() {
    missing=
    while read -r package file sum; do
        is_good "$file" "$sum" || missing="$missing $package"
    done <<LIST
$(list)
LIST
    [ "$missing" ] || return 0
    command -v apt-get >/dev/null || unavailable "the archives of$missing are not here, and there is no apt-get"
    prepare_apt || unavailable "the lists of source packages cannot be had"
    download $missing
    while read -r package file sum; do
        is_good "$file" "$sum" || download_any_version "$package"
    done <<LIST
$(list)
LIST
    while read -r package file sum; do
        is_good "$file" "$sum" && continue
        [ -f "$top/archives/$file" ] || unavailable "the sources of $package cannot be had"
        echo "windows-deps: $file: expected SHA-256 $sum, found $(sha256sum <"$top/archives/$file" || echo none)" >&2
        exit 1
    done <<LIST
$(list)
LIST
}

# unpack FILE FOLDER: the archive's one folder becomes source/FOLDER.
unpack() {
    rm -rf "${source:?}/$2"
    mkdir -p "$source/$2"
    tar xf "$top/archives/$1" -C "$source/$2" --strip-components=1
}

# ---- libraries ----------------------------------------------------------------------------

# A DLL: its license lets the user put another one in its place.
build_unistring() {
    unpack libunistring_1.0.orig.tar.xz unistring
    rm -rf "$source/unistring.build" && mkdir "$source/unistring.build" && cd "$source/unistring.build"
    ../unistring/configure -q --build=x86_64-pc-linux-gnu --host=$host --prefix="$install" \
        --enable-shared --disable-static --disable-threads --disable-dependency-tracking CFLAGS=-O2
    make -s -j"$jobs" -C lib && make -s -C lib install
    $host-strip "$install"/bin/libunistring-*.dll
    cp ../unistring/COPYING.LIB "$install/licences/libunistring-LGPL.txt"
    cp ../unistring/COPYING "$install/licences/libunistring-GPL.txt"
}

build_ncurses() {
    unpack ncurses_6.4.orig.tar.gz ncurses
    rm -rf "$source/ncurses.build" && mkdir "$source/ncurses.build" && cd "$source/ncurses.build"
    cat ../ncurses/misc/terminfo.src "$here/terminal.ti" >all.ti
    ../ncurses/configure -q --build=x86_64-pc-linux-gnu --host=$host --prefix="$install" \
        --with-build-cc=gcc --enable-widec --enable-term-driver --enable-sp-funcs \
        --enable-ext-colors --enable-ext-mouse --enable-interop --without-shared --without-debug \
        --without-cxx --without-cxx-binding --without-ada --without-manpages --without-progs \
        --without-tests --without-libtool --disable-home-terminfo --disable-termcap \
        --disable-getcap --disable-hard-tabs --enable-database --disable-db-install \
        --with-fallbacks=xterm-256color --with-tic-path=/usr/bin/tic \
        --with-infocmp-path=/usr/bin/infocmp
    make -s -j"$jobs" -C include
    make -s -j"$jobs" -C ncurses TERMINFO_SRC="$PWD/all.ti" \
        FALLBACK_LIST="tracetop-console tracetop-console-direct ms-terminal xterm-256color xterm"
    make -s -C include install.includes
    make -s -C ncurses install.libs
    cp ../ncurses/COPYING "$install/licences/ncurses.txt"
}

build_termkey() {
    unpack libtermkey_0.22.orig.tar.gz termkey
    cd "$source/termkey"
    for part in termkey driver-csi driver-ti; do
        $host-gcc -O2 -std=gnu99 -w -DHAVE_UNIBILIUM -include io.h -I"$here" -c $part.c
    done
    rm -f "$install/lib/libtermkey.a"
    $host-ar rcs "$install/lib/libtermkey.a" termkey.o driver-csi.o driver-ti.o
    [ -f termkey.h ] || sed 's/@@VERSION_MAJOR@@/0/; s/@@VERSION_MINOR@@/22/' termkey.h.in >termkey.h
    cp termkey.h "$install/include"
    cp LICENSE "$install/licences/libtermkey.txt"
}

build_zstd() {
    unpack libzstd_1.5.4+dfsg2.orig.tar.xz zstd
    cd "$source/zstd/lib"
    printf '%s\n' common/*.c compress/*.c decompress/*.c | xargs -P "$jobs" -I{} \
        sh -c "$host-gcc -O2 -DZSTD_DISABLE_ASM -c {} -o \$(basename {} .c).o"
    rm -f "$install/lib/libzstd.a"
    $host-ar rcs "$install/lib/libzstd.a" ./*.o
    cp zstd.h zstd_errors.h "$install/include"
    cp ../LICENSE "$install/licences/zstd.txt"
}

build_pcre2() {
    unpack pcre2_10.42.orig.tar.gz pcre2
    rm -rf "$source/pcre2.build" && mkdir "$source/pcre2.build" && cd "$source/pcre2.build"
    ../pcre2/configure -q --build=x86_64-pc-linux-gnu --host=$host --prefix="$install" \
        --disable-shared --enable-static --enable-jit --disable-pcre2-16 --disable-pcre2-32 \
        --disable-dependency-tracking CFLAGS=-O2
    make -s -j"$jobs" libpcre2-8.la
    cp .libs/libpcre2-8.a "$install/lib"
    cp src/pcre2.h "$install/include"
    cp ../pcre2/LICENCE "$install/licences/pcre2.txt"
}

# As configure would: it finds out about POSIX only, for which Windows has other calls.
build_expat() {
    unpack expat_2.5.0.orig.tar.gz expat
    cd "$source/expat/expat/lib"
    printf '#define %s\n' 'BYTEORDER 1234' 'XML_CONTEXT_BYTES 1024' XML_DTD XML_NS >expat_config.h
    for part in xmlparse xmlrole xmltok; do
        $host-gcc -O2 -I. -DXML_STATIC -c $part.c
    done
    rm -f "$install/lib/libexpat.a"
    $host-ar rcs "$install/lib/libexpat.a" xmlparse.o xmlrole.o xmltok.o
    cp expat.h expat_external.h "$install/include"
    cp ../COPYING "$install/licences/expat.txt"
}

# For the tests only.
build_cmocka() {
    unpack cmocka_1.1.5.orig.tar.xz cmocka
    cd "$source/cmocka"
    $host-gcc -O2 -w -DHAVE_CONFIG_H -I"$here/cmocka" -Iinclude -c src/cmocka.c
    rm -f "$install/lib/libcmocka.a"
    $host-ar rcs "$install/lib/libcmocka.a" cmocka.o
    cp include/cmocka.h "$install/include"
}

# What was built, by which compiler, how: the same again needs no building.
stamp() {
    list
    $host-gcc --version | head -1
    cat "$here/deps.sh" "$here/terminal.ti" "$here/unibilium.h" "$here/cmocka/config.h" | sha256sum
}

# One at a time: several calls of make may come here at once, and all but the first find it done.
exec 9>"$top/lock"
flock 9
stamp=$(stamp)
[ "$stamp" != "$(cat "$top/stamp" 2>/dev/null)" ] || exit 0
rm -f "$top/stamp"
fetch
for library in unistring ncurses termkey zstd pcre2 expat cmocka; do
    begun=$(date +%s)
    # Not `(…) || …`: the shell would go on after errors inside.
    set +e
    (set -e; "build_$library") >"$top/$library.log" 2>&1
    status=$?
    set -e
    [ $status -eq 0 ] || {
        tail -20 "$top/$library.log" >&2
        echo "windows-deps: building $library failed; all of it is in $top/$library.log" >&2
        exit 1
    }
    echo "windows-deps: $library: $(($(date +%s) - begun)) s"
done
rm -rf "$source" # the archives are kept
echo "$stamp" >"$top/stamp.new"
mv "$top/stamp.new" "$top/stamp"
