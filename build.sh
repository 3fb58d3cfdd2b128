#!/bin/sh
# SPDX-License-Identifier: MIT
# The one door: ./build.sh VERB. See usage below.
set -eu
cd "$(dirname "$0")"

usage() {
	cat <<-'EOF'
	usage: ./build.sh [VERB]

	  build    build/CPU/roclatch with its tool library, the library for programs and the drop-in libraries, for both CPUs (the default)
	  deps     fetch what the build and the tests need; with --update-lock renew build.lock
	  test     build all and run the tests, or GROUPS of them: host fuzz guest whole checks sve 16k kubernetes
	  demo     find, check, attach and record a sample process, call into another; ends with a report page
	  bench    measure roclatch beside gdb, lldb, eu-stack and perf: all of it, or PARTS; --quick, --write into docs/bench.md
	  soak     commands, targets and disturbances at random, for SECONDS; on both CPUs or one: --cpu CPU
	  mutants  put faults in on purpose, and see that each is noticed: all, or by NAME
	  coverage which lines the tests run, into docs/coverage.md
	  analyze  sanitizers, valgrind, clang-tidy, cppcheck, gcc -fanalyzer; or KINDS of them
	  dist     tarballs of what build makes, in dist/, with a bill of materials and checksums
	  install  install for this CPU into PREFIX (default /usr/local), or: ./build.sh install PREFIX=/opt/x DESTDIR=/stage ARCH=aarch64
	  uninstall  remove what install has installed; with the same PREFIX and DESTDIR
	  clean    remove what was built; fetched files are kept
	  help     this text
	EOF
}

die() { echo "build.sh: $*" >&2; exit 1; }

host=$(uname -m)
case $host in
x86_64) cross=aarch64-linux-gnu cross_package=aarch64-linux-gnu ;;
aarch64) cross=x86_64-linux-gnu cross_package=x86-64-linux-gnu ;;
*) die "a host with a $host CPU is not supported, use x86_64 or aarch64" ;;
esac

has() { case $1 in /*) [ -e "$1" ] ;; *) command -v "$1" >/dev/null ;; esac; }

# need REASON COMMAND-OR-FILE:PACKAGE...: have them all, through apt when root on Debian.
need() {
	reason=$1 missing=
	shift
	for pair; do
		has "${pair%%:*}" || missing="$missing ${pair#*:}"
	done
	[ -n "$missing" ] || return 0
	if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
		die "to $reason, please install:$missing"
	fi
	echo "build.sh: installing$missing (to $reason)"
	# shellcheck disable=SC2086 # one word for each package
	install_packages $missing || die "apt could not install$missing"
}

# Daemons among them are not started, as tests have their own, in namespaces: Debian asks that file.
install_packages() (
	export DEBIAN_FRONTEND=noninteractive
	policy=/usr/sbin/policy-rc.d
	if [ ! -e $policy ]; then
		trap 'rm -f $policy' EXIT
		trap 'exit 130' HUP INT TERM
		printf '#!/bin/sh\nexit 101\n' > $policy && chmod 755 $policy
	fi
	set -- -qq -y --no-install-recommends -o DPkg::Lock::Timeout=120 install "$@"
	apt-get "$@" >/dev/null 2>&1 || { apt-get -qq update && apt-get "$@" >/dev/null; }
)

# What each kind of work needs, from apt and from build.lock.
need_for_build() {
	need "build for both CPUs" gcc:gcc make:make "$cross-gcc:gcc-$cross_package" xz:xz-utils
	deps/fetch.sh musl-x86_64 musl-aarch64 zydis sqlite demangle bullseye-x86_64 bullseye-aarch64
}

need_for_samples() {
	deps/fetch.sh "bullseye-$host" "bookworm-$host" "sid-$host"
}

need_for_tests() {
	need "test" qemu-system-x86_64:qemu-system-x86 qemu-system-aarch64:qemu-system-arm "qemu-${cross%%-*}:qemu-user" \
		/usr/include/stdio.h:libc6-dev cpio:cpio strace:strace git:git shellcheck:shellcheck unshare:util-linux \
		g++:g++ "$cross-g++:g++-$cross_package" gdb:gdb python3:python3 protoc:protobuf-compiler chromium:chromium \
		/usr/lib/python3/dist-packages/yaml/__init__.py:python3-yaml runc:runc bwrap:bubblewrap setcap:libcap2-bin \
		/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf:fonts-dejavu-core \
		munged:munge slurmctld:slurmctld slurmd:slurmd srun:slurm-client mpirun:openmpi-bin \
		zsh:zsh fish:fish mandoc:mandoc man:man-db groff:groff-base \
		podman:podman newuidmap:uidmap dockerd:docker.io pdsh:pdsh /usr/sbin/sshd:openssh-server kubectl:kubernetes-client
	# Debian 13 has parted the client and the builder from docker.io
	if has dockerd && ! has /usr/bin/docker; then
		need "test with Docker" /usr/bin/docker:docker-cli /usr/libexec/docker/cli-plugins/docker-buildx:docker-buildx
	fi
	deps/fetch.sh all
}

# Its servers are built from source, unless they are there.
need_for_kubernetes() {
	need "test with Kubernetes" etcd:etcd-server containerd:containerd openssl:openssl script:bsdutils \
		/usr/lib/cni/loopback:containernetworking-plugins
	[ -x "${KUBERNETES:-build/kubernetes}/kubectl" ] || need "build Kubernetes" /usr/lib/go-1.19/bin/go:golang-1.19-go
}

need_for_analysis() {
	need "analyze" clang-tidy:clang-tidy cppcheck:cppcheck valgrind:valgrind /usr/include/stdio.h:libc6-dev g++:g++
	deps/fetch.sh all
}

make_for() {
	cpu=$1
	shift
	make --no-print-directory -s -j"$(nproc)" ARCH="$cpu" "$@"
}

# Side by side, as neither keeps all CPUs at work to its end.
make_each() {
	make_for x86_64 "$@" & beside=$!
	make_for aarch64 "$@" || { wait "$beside" || :; return 1; }
	wait "$beside"
}

build() {
	need_for_build
	make_each roclatch libraries
	ls -l build/x86_64/roclatch build/aarch64/roclatch build/x86_64/*.so.1 build/aarch64/*.so.1 build/*/libroclatch-tool.so \
		build/*/libroclatch.so.0 build/*/libroclatch.a build/*/roclatch.h
}

deps() {
	case ${1-} in
	'') need_for_build; need_for_tests; make_each others ;;
	--update-lock) deps/relock.sh > build.lock.new && mv build.lock.new build.lock ;;
	*) usage >&2; exit 2 ;;
	esac
}

clean() { rm -rf build/x86_64 build/aarch64 build/bench build/fuzz build/deps build/results build/lab build/demo build/mutants build/coverage build/analyze build/kubernetes dist; }

# run FILE [ARG...]: one of the project's scripts, once what it runs is built.
run() {
	[ -x "$1" ] || die "there is no $1 in this tree"
	exec "$@"
}

# For the other CPU what is run in every run of the tests, which is not all: see tests/run.sh.
make_tests() {
	make_for "${cross%%-*}" roclatch libraries live runners fixtures BRIEF=1 & beside=$!
	make_for "$host" roclatch libraries tests || { wait "$beside" || :; return 1; }
	wait "$beside"
	make_for "${cross%%-*}" unit ONLY_UNITS="$(. tests/lab/suite.sh && plain_units && cpu_units)"
}

run_with_tests() {
	need_for_build
	need_for_tests
	case " $* " in
	*" whole "* | *" sve "* | *" 16k "*) make_each roclatch libraries tests ;;
	*) make_tests ;;
	esac
	[ "$1" != tests/run.sh ] || make_for "$host" fuzz
	run "$@"
}

analyze() {
	need_for_build
	need_for_analysis
	make_for "$host" roclatch
	run tests/analyze.sh "$@"
}

# Without a peer its column stays empty, which is told.
bench() {
	need_for_build
	need_for_samples
	if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
		for pair in gdb:gdb lldb:lldb eu-stack:elfutils perf:linux-perf; do
			has "${pair%:*}" || install_packages "${pair#*:}" || echo "build.sh: apt could not install ${pair#*:}" >&2
		done
	fi
	make_for "$host" roclatch libraries fixtures bench
	run tests/bench/run.sh "$@"
}

# What this takes is a newcomer's first impression: this CPU alone, and no more than is shown.
demo() {
	need "build and run the demo" gcc:gcc make:make xz:xz-utils
	deps/fetch.sh "musl-$host" zydis sqlite demangle "bullseye-$host" "bookworm-$host" "sid-$host"
	run tests/demo.sh "$@"
}

# placed VERB [NAME=VALUE...]: what make users know; in the environment, it does too.
placed() {
	verb=$1
	shift
	for word; do
		case $word in
		PREFIX=* | DESTDIR=* | ARCH=*) export "${word?}" ;;
		*) usage >&2; exit 2 ;;
		esac
	done
	if [ "$verb" = install ]; then
		package/install.sh may
		need_for_build
		make_for "$host" roclatch
		make_for "${ARCH:-$host}" roclatch libraries
	fi
	run package/install.sh "$verb"
}

verb=${1-build}
[ $# -eq 0 ] || shift
case $verb in
build | clean) [ $# -eq 0 ] || { usage >&2; exit 2; }; "$verb" ;;
deps) deps "$@" ;;
test)
	for group; do   # known before all is built
		case $group in
		host | fuzz | guest | whole | checks | sve | 16k | kubernetes) ;;
		*) echo "build.sh: unknown group '$group' of tests" >&2; usage >&2; exit 2 ;;
		esac
	done
	case " $* " in *" kubernetes "*) need_for_kubernetes ;; esac
	run_with_tests tests/run.sh "$@"
	;;
soak) run_with_tests tests/soak.sh "$@" ;;
mutants) run_with_tests tests/mutants/run.sh "$@" ;;
coverage) run_with_tests tests/coverage.sh "$@" ;;
demo | bench | analyze) "$verb" "$@" ;;
dist)
	build
	run package/dist.sh "$@"
	;;
install | uninstall) placed "$verb" "$@" ;;
help | -h | --help) usage ;;
*) echo "build.sh: unknown verb '$verb'" >&2; usage >&2; exit 2 ;;
esac
