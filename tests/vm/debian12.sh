#!/bin/sh
# The program on a kernel of Debian 12 as it is installed (6.1, kernel.perf_event_paranoid 3), in an
# emulated machine: it watches as root, with functions of programs, and leaves nothing behind. Fetches
# that kernel.
#
# usage: tests/vm/debian12.sh PROGRAM FOLDER (from the root; FOLDER below build/)
set -eu
program=$1
mkdir -p "$2"
folder=$(cd "$2" && pwd)
planted=$PWD/tests/live/planted
root=$folder/root

# ---- the machine's files --------------------------------------------------------------------

kernel=$(apt-cache depends linux-image-cloud-amd64 | sed -n 's/^ *Depends: \(linux-image-6.1.*\)/\1/p' | head -1)
[ "$kernel" ] || { echo "debian12: there is no package of Debian 12's kernel here: skipped"; exit 0; }
ls "$folder/$kernel"_*.deb >/dev/null 2>&1 || (cd "$folder" && apt-get download -q "$kernel" >/dev/null 2>&1)
rm -rf "$root" "$folder/kernel"
dpkg -x "$folder/$kernel"_*.deb "$folder/kernel"
mkdir -p "$root/bin" "$root/proc" "$root/sys" "$root/tmp" "$root/dev" "$root/lib" "$root/lib64" "$root/usr"
ln -s ../lib "$root/usr/lib"
cp /bin/busybox "$program" "$root/bin"
gcc -g -O2 -fno-omit-frame-pointer -o "$root/bin/planted" "$planted/functions.c"
g++ -g -O2 -o "$root/bin/thrown" "$planted/exceptions.cc"
ldd "$root/bin/tracetop" "$root/bin/planted" "$root/bin/thrown" | grep -o '/[^ ]*' | grep -v ':$' | sort -u |
    while read -r library; do
        mkdir -p "$root$(dirname "$library")"
        cp -L "$library" "$root$library"
    done

# What is done in it. Each line that begins with "is" is an answer.
cat >"$root/init" <<'INIT'
#!/bin/busybox sh
/bin/busybox --install -s /bin
mount -t proc proc /proc; mount -t sysfs sysfs /sys; mount -t devtmpfs dev /dev
export PATH=/bin HOME=/tmp TERM=vt100
cd /tmp
is() { echo; echo "is $*"; }
is paranoid $(cat /proc/sys/kernel/perf_event_paranoid)
tracetop doctor >doctor
is status $?
is privileges $(sed -n 's/^ *privileges *//p' doctor)
is missing $(sed -n 's/^ *\([a-z_]*:[a-z_0-9]*\) *missing .*/\1/p' doctor)
is refused $(grep -c 'kernel refuses' doctor)
tracetop record -q -o live.etl -t 2s
is switches $(tracetop dump -O text live.etl class=switch | head -n 1 | wc -l)
tracetop record -q -o calls.etl -P proc -e 'u:/bin/planted:*' -e 'usdt:/bin/planted:*' -- planted 2000 >/dev/null
tracetop top --by 'event | count' calls.etl -O tsv provider=planted >counts
is often $(grep -c 'often/[er][a-z]*.2000' counts)
is deep $(grep -c 'deep/[er][a-z]*.21' counts)
tracetop record -q -o steps.etl -P proc -e 'usdt:/bin/planted:*' -- planted steps | sort -u >watched
is $(cat watched) $(tracetop dump steps.etl -O text event=step__done | wc -l)
is $(tracetop record -q -o thrown.etl -P proc -e 'u:/bin/thrown:*' -- thrown)
tracetop record -q -o ends.etl -P proc -- sh -c 'for i in 1 2 3 4 5; do sh -c "exit $i"; done; sleep 0.3; true'
is ends $(tracetop dump -O text ends.etl class=process op=end | grep -o 'ExitStatus=[1-5] ' | sort -u | wc -l)
mkfifo in; planted until <in >out & exec 5>in; sleep 1
tracetop record -q -o killed.etl -P proc -e 'u:/bin/planted:*' -t 60s & watching=$!
sleep 6; echo >&5; sleep 1; is $(tail -n 1 out)
kill -9 $watching; sleep 2; echo >&5; sleep 1; is $(tail -n 1 out)
is processes $(ps | grep -c '[t]racetop')
is left $(dmesg | grep -c leaking)
poweroff -f
INIT
chmod +x "$root/init"
(cd "$root" && find . | cpio -o -H newc 2>/dev/null | gzip -1 >"$folder/initrd.gz")

# ---- run it -----------------------------------------------------------------------------------

timeout "${TRACETOP_PATIENCE:-600}" qemu-system-x86_64 -m 2048 -smp 2 -nographic -no-reboot \
    -kernel "$folder"/kernel/boot/vmlinuz* -initrd "$folder/initrd.gz" -append 'console=ttyS0 quiet panic=1' \
    </dev/null >"$folder/log" 2>&1
tr -d '\r' <"$folder/log" | sed -n 's/^is //p' >"$folder/answers"
cat >"$folder/expected" <<'ANSWERS'
paranoid 3
status 0
privileges ok all events
missing tcp:tcp_probe
refused 0
switches 1
often 2
deep 2
watched by 1 5
caught 5
ends 5
changed
own
processes 0
left 0
ANSWERS
diff "$folder/expected" "$folder/answers" || { echo "debian12: expected and found; all of it is in $folder/log"; exit 1; }
echo "debian12: $kernel: $(wc -l <"$folder/answers") answers as expected"
