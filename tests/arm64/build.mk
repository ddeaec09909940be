# The program for aarch64: Linux's is built here against libraries in a sysroot and its unit tests run
# under an emulator; Windows' sources are read only, as there is no run-time library to link. Not part
# of `make check`. Included by the Makefile.

ARM64_SYSROOT := build/arm64-deps
ARM64_ROOT = $(CURDIR)/$(ARM64_SYSROOT)/root
ARM64_PACKAGES := libc6-dev libgcc-12-dev libncurses-dev libtermkey-dev libunistring-dev libzstd-dev libpcre2-dev \
                  libexpat1-dev libjson-c-dev libbpf-dev libdw-dev libelf-dev liblzma-dev libcmocka-dev
ARM64_COMPILER = clang --target=aarch64-linux-gnu --sysroot=$(ARM64_ROOT)
ARM64_MAKE = PKG_CONFIG_LIBDIR=$(ARM64_ROOT)/usr/lib/aarch64-linux-gnu/pkgconfig:$(ARM64_ROOT)/usr/share/pkgconfig \
             PKG_CONFIG_SYSROOT_DIR=$(ARM64_ROOT) $(MAKE) ARCH=arm64 COMPILER='$(ARM64_COMPILER)'

DEPS_ARM64 := clang lld qemu-user mingw-w64-common

ifeq ($(ARCH),arm64)
B := build/arm64$(addprefix -,$(filter-out release,$(FLAVOUR)))
RUN_TEST = TRACETOP_PATIENCE=600 tests/run.sh $(patsubst build/%,%,$<) qemu-aarch64 -L $(ARM64_ROOT) $<
endif

arm64-deps:
	@tests/arm64/sysroot.sh $(ARM64_SYSROOT) $(ARM64_PACKAGES)

arm64: arm64-deps ## cross-compile the program for aarch64 Linux (needs clang, lld, apt-get)
	+@$(ARM64_MAKE) all

arm64-unit: arm64-deps
	+@$(ARM64_MAKE) unit

check-arm64: ## check Windows' sources for aarch64; build for aarch64 Linux, and run the unit tests in an emulator
	@tests/deps.sh $(DEPS_ARM64)
	+@$(MAKE) arm64-windows
	+@$(MAKE) arm64
	+@$(MAKE) arm64-unit

# Windows' sources, by the headers of mingw-w64 and of the libraries, which are the same for all machines.
# (clang has one name for the formats that gcc has two for.)
ARM64_WINDOWS = clang --target=aarch64-w64-windows-gnu -isystem /usr/share/mingw-w64/include \
                -isystem $(WINDOWS_INSTALL)/include -isystem $(WINDOWS_INSTALL)/include/ncursesw \
                -Dgnu_printf=printf -DNCURSES_STATIC -DNCURSES_WIDECHAR=1 -DPCRE2_STATIC -DXML_STATIC -D_POSIX_THREAD_SAFE_FUNCTIONS=200112L
ARM64_WINDOWS_SOURCES = $(filter-out %_linux.c collectors/linux/%,$(ALL_SOURCES))
ARM64_WINDOWS_READ = $(ARM64_WINDOWS_SOURCES:%.c=build/arm64-windows/%.read)

build/arm64-windows/%.read: %.c Makefile tests/arm64/build.mk
	@mkdir -p $(@D)
	@$(ARM64_WINDOWS) $(WINDOWS_FLAGS) -MMD -MP -MT $@ -MF $(@:.read=.d) -fsyntax-only $<
	@touch $@

arm64-windows-read: $(ARM64_WINDOWS_READ)
	@tests/run.sh arm64-windows echo "$(words $(ARM64_WINDOWS_SOURCES)) files are fit for Windows on aarch64"

arm64-windows: windows-deps ## check that Windows' sources are fit for aarch64 (needs clang, mingw-w64)
	+@$(MAKE) arm64-windows-read

-include $(shell find build/arm64-windows -name '*.d' 2>/dev/null)

.PHONY: arm64-windows-read arm64-windows check-arm64 arm64-deps arm64 arm64-unit
