#!/bin/sh
# SPDX-License-Identifier: MIT
# tests/containers/kubernetes_build.sh FOLDER: makes kube-apiserver, kubelet and kubectl there, unless they are there, from the
# only whole source of Kubernetes that Debian has: 1.20.2, of 2021. Takes half an hour of two CPUs, 3 GB, and Go as old as that
# of Debian 12 (golang-1.19-go). Cloud providers and dockershim are left out. One line is added, which Kubernetes has
# from 1.23 on: an ephemeral container may have a security context, as kubectl debug --profile=general asks for. kubectl-new is
# that of Debian 13, for what the old one does not know.
set -eu
mkdir -p "$1"
folder=$(cd "$1" && pwd)
version=1.20.2
cd "$(dirname "$0")/../.."

die() { echo "kubernetes_build.sh: $*" >&2; exit 1; }

# fetched FILE SHA256: from Debian's mirrors, below $folder.
fetched() {
	[ -e "$folder/$1" ] && return
	for mirror in $(deps/mirror.sh); do
		! /usr/lib/apt/apt-helper download-file "$mirror/pool/main/k/kubernetes/$1" "$folder/$1" "SHA256:$2" > /dev/null || return 0
	done
	die "no mirror has $1"
}

new_kubectl() {
	case $(uname -m) in
	x86_64) name=amd64 sum=9825aaf4c14913027aae04af8688e580459f781c829bd5de00cc4dc2cc5a867f ;;
	aarch64) name=arm64 sum=b85800b5e2d2ecc958e2b9dfa7d4ce13b14e1175242de1f71acb4fa4b0b63212 ;;
	esac
	fetched "kubectl_1.32.3+ds-2_$name.deb" "$sum"
	dpkg-deb --fsys-tarfile "$folder/kubectl_1.32.3+ds-2_$name.deb" | tar -x -O ./usr/bin/kubectl > "$folder/kubectl-new"
	chmod 755 "$folder/kubectl-new"
}

source_tree() {
	archive="kubernetes_1.20.5+really$version.orig.tar.gz"
	fetched "$archive" b83c0780efb182d928dc63d46488a847f161f04e40a94b96bf5247dd671ecdfc
	rm -rf "$tree"
	mkdir -p "$tree"
	tar -x -z --strip-components 1 -f "$folder/$archive" -C "$tree"
	sed -i '/^var allowedEphemeralContainerFields/,/^}/s/^\t"Stdin": .*/\t"SecurityContext": true,\n&/' \
		"$tree/pkg/apis/core/validation/validation.go"
}

# What describes the API is no part of the source: it is made from it.
description() {
	go build -o "$folder/openapi-gen" ./vendor/k8s.io/kube-openapi/cmd/openapi-gen
	parts=$(grep -rlE '^// \+k8s:openapi-gen=' --include='*.go' pkg cmd plugin staging/src/k8s.io |
		grep -v -e code-generator -e sample-apiserver -e _test.go -e zz_generated | xargs -n 1 dirname | LC_ALL=C sort -u |
		sed 's,^staging/src/,vendor/,; s,^,k8s.io/kubernetes/,' | paste -s -d , -)
	"$folder/openapi-gen" --logtostderr -i "$parts" -p k8s.io/kubernetes/pkg/generated/openapi -O zz_generated.openapi \
		-h vendor/k8s.io/code-generator/hack/boilerplate.go.txt -r "$folder/violations"
}

programs() {
	set -- -X "k8s.io/component-base/version.gitVersion=v$version" -X k8s.io/component-base/version.gitMajor=1 \
		-X k8s.io/component-base/version.gitMinor=20
	go build -tags providerless,dockerless -ldflags "-s -w $*" -o "$folder/" ./cmd/kube-apiserver ./cmd/kubelet ./cmd/kubectl
}

[ -x "$folder/kubectl-new" ] || new_kubectl
[ ! -x "$folder/kube-apiserver" ] || [ ! -x "$folder/kubelet" ] || [ ! -x "$folder/kubectl" ] || exit 0
export PATH="/usr/lib/go-1.19/bin:$PATH" GOPATH="$folder/go" GOCACHE="$folder/cache" GO111MODULE=off CGO_ENABLED=0
command -v go > /dev/null || die "it needs Go: apt-get install golang-1.19-go"
tree=$GOPATH/src/k8s.io/kubernetes
source_tree
cd "$tree"
description
programs
cd "$folder"
rm -rf go cache openapi-gen violations
