# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2034,SC2154 # sourced by kubernetes.sh, with $work, $top, $cpu, $servers, $GROUP
# A cluster of one node: etcd, kube-apiserver, containerd and kubelet, and a registry for its images. There is no scheduler: pods
# are bound to the node as that one would do it.

address=192.0.2.1       # tests/lab/machine.sh
registry=5000

# started NAME COMMAND...: beside us, as long as we are there.
started() {
	name=$1
	shift
	setpriv --pdeathsig KILL "$@" > "$work/$name.log" 2>&1 < /dev/null &
}
# answers NAME COMMAND...: it does, within five minutes; else what it wrote is shown.
answers() {
	name=$1
	shift
	within 300 "$@" || { echo "$name does not answer:"; grep -E '^[WEF]|level=(warn|error)' "$work/$name.log" | tail -n 30; return 1; }
}

image_folders() {
	mkdir -p "$work/image" "$work/pause" "$work/train/bin"
	cp "$roclatch" "$work/image/"
	cp "$top/build/$cpu/tests/containers/busybox" "$work/pause/"
	cp "$top/build/$cpu/tests/containers/busybox" "$work/train/bin/tar"     # kubectl cp asks for it
}
registry_begins() {
	image_folders
	started registry python3 "$top/tests/containers/registry.py" $registry \
		"roclatch=$work/image={\"Entrypoint\":[\"/roclatch\"],\"Cmd\":[\"list\"]}" \
		"train=$work/train={\"Cmd\":[\"/python3\",\"ready\",\"threads=2\"],\"Env\":[\"LD_LIBRARY_PATH=/lib\",\"PATH=/bin\"]}" \
		"pause=$work/pause={\"Entrypoint\":[\"/busybox\",\"sleep\",\"3600\"]}"
	mkdir -p "$work/hosts/registry.example"
	echo "[host.\"http://127.0.0.1:$registry\"]" > "$work/hosts/registry.example/hosts.toml"
	answers registry python3 -c "import urllib.request; urllib.request.urlopen('http://127.0.0.1:$registry/v2/pause/manifests/latest')"
}

# Pods have a network with nothing in it; a node wants to hear of an address nevertheless.
network_of_pods() {
	mkdir -p "$work/cni" "$work/networks"
	cp /usr/lib/cni/loopback "$work/cni/"
	cat > "$work/cni/nothing" <<-'PLUGIN'
	#!/bin/sh
	case $CNI_COMMAND in
	VERSION) echo '{"cniVersion":"0.4.0","supportedVersions":["0.4.0"]}' ;;
	ADD) printf '{"cniVersion":"0.4.0","interfaces":[{"name":"%s","sandbox":"%s"}],
		"ips":[{"version":"4","interface":0,"address":"203.0.113.1/24"}]}' "$CNI_IFNAME" "$CNI_NETNS" ;;
	esac
	PLUGIN
	chmod 755 "$work/cni/nothing"
	echo '{"cniVersion":"0.4.0","name":"nothing","plugins":[{"type":"nothing"}]}' > "$work/networks/nothing.conflist"
}

# A root without CAP_SYS_RESOURCE may not make a process less likely to be killed than it is. With CGROUP2=1 limits are left out:
# where cgroup v1 is in use, too, it has the controllers.
containerd_begins() {
	network_of_pods
	cri='plugins."io.containerd.grpc.v1.cri"'
	cat > "$work/containerd.toml" <<-CONF
	version = 2
	root = "$work/containerd"
	[$cri]
	sandbox_image = "registry.example/pause"
	restrict_oom_score_adj = true
	disable_cgroup = $([ -z "${CGROUP2-}" ] && echo false || echo true)
	[$cri.cni]
	bin_dir = "$work/cni"
	conf_dir = "$work/networks"
	[$cri.registry]
	config_path = "$work/hosts"
	CONF
	started containerd containerd --config "$work/containerd.toml"
	answers containerd ctr version
}

# A token each, for us and the node; keys are made by those who need them.
server_begins() {
	started etcd etcd --data-dir "$work/etcd"
	openssl genrsa -out "$work/accounts.key" 2048 || return 1
	printf 'ours,admin,1,"system:masters"\n' > "$work/tokens"
	started kube-apiserver "$servers/kube-apiserver" --etcd-servers http://127.0.0.1:2379 --cert-dir "$work/keys" \
		--bind-address "$address" --advertise-address "$address" --secure-port 6443 --endpoint-reconciler-type none \
		--token-auth-file "$work/tokens" --authorization-mode AlwaysAllow --allow-privileged \
		--service-cluster-ip-range 198.51.100.0/24 --service-account-issuer https://kubernetes.default.svc \
		--service-account-key-file "$work/accounts.key" --service-account-signing-key-file "$work/accounts.key" \
		--kubelet-preferred-address-types InternalIP --feature-gates "$gates"
	export KUBECONFIG="$work/kubeconfig"
	cat > "$KUBECONFIG" <<-CONF
	{apiVersion: v1, kind: Config, current-context: here, users: [{name: we, user: {token: ours}}],
	clusters: [{name: here, cluster: {server: "https://$address:6443", insecure-skip-tls-verify: true}}],
	contexts: [{name: here, context: {cluster: here, user: we}}]}
	CONF
	answers kube-apiserver kubectl get --raw /readyz
}
gates=EphemeralContainers=true,BoundServiceAccountTokenVolume=true

# What a controller manager does for a namespace, so that pods have their token in /var/run/secrets.
namespace_of_pods() {
	within 60 kubectl get namespace default && kubectl create serviceaccount default &&
		kubectl create configmap kube-root-ca.crt --from-file="ca.crt=$work/keys/apiserver.crt"
}

# Settings of the kernel that it wants are shown to it and not made, as they are those of the whole machine.
kernel_as_wanted() {
	mkdir -p "$work/kernel"
	for setting in vm/overcommit_memory=1 vm/panic_on_oom=0 kernel/panic=10 kernel/panic_on_oops=1 \
		kernel/keys/root_maxkeys=1000000 kernel/keys/root_maxbytes=25000000; do
		file=$work/kernel/$(basename "${setting%=*}")
		echo "${setting#*=}" > "$file"
		mount --bind "$file" "/proc/sys/${setting%=*}" || return 1
	done
}
node_is_ready() { kubectl get node here | grep -q ' Ready '; }
kubelet_begins() {
	kernel_as_wanted || return 1
	cat > "$work/kubelet.yaml" <<-CONF
	apiVersion: kubelet.config.k8s.io/v1beta1
	kind: KubeletConfiguration
	authentication: {anonymous: {enabled: true}, webhook: {enabled: false}}
	authorization: {mode: AlwaysAllow}
	cgroupDriver: cgroupfs
	cgroupRoot: /$GROUP
	enforceNodeAllocatable: []
	evictionHard: {imagefs.available: 0%}
	failSwapOn: false
	featureGates: {$(echo "$gates" | sed 's/=/: /g; s/,/, /g')}
	makeIPTablesUtilChains: false
	maxOpenFiles: $(awk '/^Max open files/ { print $5 }' /proc/self/limits)
	oomScoreAdj: 0
	protectKernelDefaults: true
	syncFrequency: 2s
	volumePluginDir: $work/plugins
	CONF
	started kubelet "$servers/kubelet" --config "$work/kubelet.yaml" --kubeconfig "$KUBECONFIG" --root-dir "$work/kubelet" \
		--cert-dir "$work/keys" --container-runtime remote --container-runtime-endpoint unix:///run/containerd/containerd.sock \
		--hostname-override here --node-ip "$address"
	runner=$!
	answers kubelet node_is_ready
}
