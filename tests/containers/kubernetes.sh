#!/bin/sh
# SPDX-License-Identifier: MIT
# tests/containers/kubernetes.sh CPU FOLDER: what docs/containers.md and the manifests of docs/examples say of Kubernetes, done in a
# real one: FOLDER has its kube-apiserver, kubelet and kubectl, which kubernetes_build.sh makes from Debian's source. Also
# needs etcd, containerd, runc, the plugins of CNI, and root. The cluster is in a machine of its own (tests/lab/machine.sh) and goes
# with it. ONLY=REGEX chooses by names; CGROUP2=1: as on a machine that has cgroup v2 alone.
# shellcheck disable=SC2086 # $kinds are words
set -u
cpu=$1 servers=$(cd "$2" && pwd) engine=kubectl
top=$PWD
. tests/lab/check.sh
. tests/lab/machine.sh
. tests/containers/bundle.sh
. tests/containers/attach.sh
. tests/containers/lines.sh
. tests/containers/node.sh

begins() {
	mkfifo "$work/never" && cp "$servers/kubectl" "$work/bin/" && registry_begins && containerd_begins && server_begins &&
		namespace_of_pods && kubelet_begins
}

# Who waits: as long as the node is there.
ready() { for one in $(pgrep -x python3); do ! has_all "$one" || echo "$one"; done; }
there_is() { pid=$(ready) && [ -n "$pid" ]; }
none_is() { [ -z "$(ready)" ]; }
pods_end() { kubectl delete pod --all --now > /dev/null 2>&1 && await none_is; }
# bound POD: to the node, as a scheduler does it.
bound() {
	kubectl create --raw "/api/v1/namespaces/default/pods/$1/binding" -f - <<-JSON
	{"apiVersion":"v1","kind":"Binding","metadata":{"name":"$1"},"target":{"apiVersion":"v1","kind":"Node","name":"here"}}
	JSON
}
# pod NAME [EDIT]: that of docs/examples runs, for less time, and the program's id is in $pid. What sed is to change makes it
# another one than is written.
pod() {
	pods_end
	rm -rf results && mkdir -m 1777 results
	sed 's/ 60s\]/ 1s]/' "$top/docs/examples/$1.yaml" > written.yaml
	sed -E "${2-}" written.yaml > pod.yaml
	[ -z "${2-}" ] || ! cmp -s written.yaml pod.yaml || { echo "nothing is changed by $2"; return 1; }
	kubectl create -f pod.yaml && bound train && await there_is && return
	kubectl describe pod train
	return 1
}
# over KIND NAME: that container, with the status in $ended.
over() {
	ended=$(kubectl get pod train -o "jsonpath={.status.${1}Statuses[?(@.name==\"$2\")].state.terminated.exitCode}")
	[ -n "$ended" ]
}
# ends STATUS PATTERN KIND NAME: it does, and said that.
ends() {
	await over "$3" "$4" || { kubectl describe pod train; return 1; }
	kubectl logs train -c "$4" > "$work/answer"
	cat "$work/answer"
	[ "$ended" = "$1" ] || { echo "status $ended instead of $1"; return 1; }
	grep -qE -e "$2" "$work/answer" || { echo "does not say: $2"; return 1; }
}
sidecar_ends() { ends "$1" "$2" container roclatch; }
# remedy REGEX: that part of the last one that was told.
remedy() { sed -n 's/^  *remedy: //p' "$work/answer" | tail -n 1 | tr -d '\r' | grep -oE -e "$1"; }

# ---- a sidecar -------------------------------------------------------------------------------------
VERIFIED='verified: not traced'
# by_sidecar WORD...: it waits, records, ends; what it left in the volume comes here as is written.
by_sidecar() {
	pod "$@" && sidecar_ends 0 "$VERIFIED" || return 1
	look after
	as_written Kubernetes '^kubectl cp train:/results ' && runs_on && fetched=results into=/tmp && recorded
}
FILTERED='s/^spec:/&\n  securityContext: {seccompProfile: {type: RuntimeDefault}}/'
filtered() { by_sidecar sidecar "$FILTERED" && has_filter; }

# Without SYS_PTRACE it waits in vain, says why, and what to write instead: with that, it does not.
NOT_LONG='s/--wait,/--wait, --wait-timeout, 2s,/'
without_right() {
	pod sidecar "/add: .SYS_PTRACE/d; $NOT_LONG" && sidecar_ends 6 'has capabilities that roclatch lacks' || return 1
	[ "$(grep -c '^  remedy: ' "$work/answer")" = 2 ] || { echo "the remedy is not told while it waits"; return 1; }
	pasted=$(remedy 'securityContext: .*}}') || return 1
	echo "pasted: $pasted"
	by_sidecar sidecar "/^    securityContext:/,/add: /c\\    $pasted"
}
as_another() {
	pod sidecar-same-user "s/^      runAsNonRoot: true/&\n      runAsUser: 1001/; $NOT_LONG" &&
		sidecar_ends 6 'its user ids are 1000 1000 1000' || return 1
	pasted=$(remedy 'runAsUser: [0-9]+' | head -n 1)
	echo "pasted: $pasted"
	by_sidecar sidecar-same-user "s/^      runAsNonRoot: true/&\n      $pasted/"
}
# Nor without the process ids, where both remedies are tried.
without_sight() {
	pod sidecar "/shareProcessNamespace/d; $NOT_LONG" && sidecar_ends 6 'no process has a name' || return 1
	[ "$(grep -c '^  remedy: ' "$work/answer")" = 2 ] || { echo "the remedy is not told while it waits"; return 1; }
	share=$(remedy '^shareProcessNamespace: true') line=$(remedy 'kubectl debug .*') || return 1
	line=$(echo "$line" | sed "s,=IMAGE,=registry.example/roclatch,; s/=CONTAINER/=train/; $OLD")
	echo "pasted: $line"
	on_terminal "$line" && debugger_ends 0 "^ *1 .* python3 .* now" || return 1
	echo "pasted: $share"
	by_sidecar sidecar "/shareProcessNamespace/d; s/^spec:/&\n  $share/"
}

# Kubernetes asks all containers to end at the same time: the program does, too, which has no say in it.
recording() { kubectl logs train -c roclatch | grep -q '^recording'; }
asked_to_end() {
	rm -rf kept && mkdir kept
	pod sidecar "s/, --attach-duration-msec, 1s//; s,emptyDir: \{\},hostPath: {path: $PWD/kept}," && await recording && sleep 0.5 || return 1
	kubectl logs -f train -c roclatch > "$work/answer" &
	kubectl delete pod train
	wait $!
	cat "$work/answer"
	records "$(find kept -name '*_results.db')" $kinds || { find kept; return 1; }
}

# ---- in the program's container --------------------------------------------------------------------
exec_written() { line=$(sed -nE "s/^# +(kubectl exec .*) 10s\$/\1 300/p" "$top/docs/examples/init.yaml") && echo "$line" && $line < /dev/null; }
by_init() { pod init && fetched='' into=/tmp && attaches_once exec_written; }
# place [EDIT]: the pod's name is known, whatever its host is called.
place() {
	pod init "${1-}" && says 0 '^ +place +in a pod of Kubernetes, train in namespace default$' \
		kubectl exec train -- /opt/roclatch/roclatch check -p 1 -t roclatch || return 1
	# what is left out with CGROUP2 would say whose it is
	says 0 "^ *$pid \(1\) .*python3 +$([ -z "${CGROUP2-}" ] && echo k8s || echo container) [0-9a-f]{12} " roclatch list
}

# ---- an ephemeral container ------------------------------------------------------------------------
OLD='s/ --profile=general//'    # 1.20 knows no profiles
on_terminal() { script -q -e -c "$1" /dev/null <> "$work/never"; }
debugger() { kubectl get pod train -o 'jsonpath={.spec.ephemeralContainers[-1:].name}'; }
debugger_ends() { ends "$1" "$2" ephemeralContainer "$(debugger)"; }
# debugs WORD...: the container is there and records; what the program has then comes here as is written.
debugs() {
	harm=$(harm)
	look before
	"$@" && debugger_ends 0 "$VERIFIED" && $harm && as_written Kubernetes '^kubectl cp train:/tmp/results ' &&
		fetched=results into=/tmp/results && recorded
}
by_debug() { (by=on_terminal && as_written Kubernetes '^kubectl debug' "$OLD"); }
# by_new_debug: what a newer kubectl asks for, put into the words of 1.20.
by_new_debug() {
	line=$(written Kubernetes '^kubectl debug' | sed 's/ 10s$/ 300/; s/^kubectl debug/& -v 2/')
	"$servers/kubectl-new" ${line#kubectl } < /dev/null > "$work/asked" 2>&1
	sed -n 's/.*patch for debug container: //p' "$work/asked" | python3 -c 'import json, sys
print(json.dumps({"apiVersion": "v1", "kind": "EphemeralContainers", "metadata": {"name": "train"},
	"ephemeralContainers": json.load(sys.stdin)["spec"]["ephemeralContainers"]}))' > asked.json || { cat "$work/asked"; return 1; }
	cat asked.json
	kubectl replace --raw /api/v1/namespaces/default/pods/train/ephemeralcontainers -f asked.json
}
# A program with a capability that containers seldom have: by a profile, and by nothing less.
MORE='s/^  - name: train$/&\n    securityContext: {capabilities: {add: [SYS_NICE]}}/'
debug_refused() {
	look before
	by_debug && debugger_ends 3 'has capabilities that roclatch lacks' && untouched && remedy "kubectl debug -it train .*--profile=general"
}
debug_needs() { pod init "$MORE" && debug_refused && pod init "$MORE" && debugs by_new_debug; }

# ---- the node, and several pods --------------------------------------------------------------------
# on_node: the remedy for what is in a user namespace of its own. A terminal may come too late to see all of it.
succeeded() { kubectl get "$1" -o 'jsonpath={.status.phase}' | grep -qx Succeeded; }
on_node() {
	on_terminal "$servers/kubectl-new debug node/here -it --image=registry.example/roclatch --profile=sysadmin -- /roclatch \
		attach -p $pid --own-tool --sys-trace -d /tmp --collect / --attach-duration-msec 300" > "$work/shown"
	its=$(kubectl get pods -o name | grep /node-debugger-) && await succeeded "$its"
	of_node=$?
	kubectl logs "$its"
	return $of_node
}
from_node() { pod init && fetched='' into=/tmp && attaches_once on_node; }

# run_of_two: the line of docs/clusters.md.
two_are() { [ "$(ready | wc -l)" = 2 ]; }
run_of_two() {
	pods_end
	rm -rf shared && mkdir -m 1777 shared
	for name in train-0 train-1; do
		sed "s,^  name: train,  name: $name\n  labels: {job-name: train},; s,^  - {name: roclatch\, emptyDir: {}},&\n  - {name: shared\, hostPath: {path: $PWD/shared}}," \
			"$top/docs/examples/init.yaml" | sed '$s,$,\n    - {name: shared\, mountPath: /shared},' > pod.yaml
		kubectl create -f pod.yaml && bound $name || return 1
	done
	await two_are || { kubectl describe pods; return 1; }
	(page=clusters && as_written kubectl '^kubectl get pods' 's/ \+ 20/ + 5/; s/ 10s / 1s /') || return 1
	find shared -type f
	says 0 'train-1' roclatch report shared/run42 || return 1
	for name in train-0 train-1; do records "$(find shared -path "*$name*" -name '*_results.db')" $kinds || return 1; done
}

prepare || { echo "not ok there is a machine of its own for a cluster"; exit 1; }
opens "kubernetes: a node is ready" begins || exit 1
try "kubernetes: sidecar.yaml waits, records and leaves the result in the volume" by_sidecar sidecar
try "kubernetes: sidecar.yaml does with the engine's own filter on both" filtered
try "kubernetes: sidecar-same-user.yaml does, without any capability" by_sidecar sidecar-same-user
try "kubernetes: without SYS_PTRACE it is told what to write, and with that it does" without_right
try "kubernetes: as another user it is told what to write, and with that it does" as_another
try "kubernetes: without the process ids it is told what to do, and that helps" without_sight
try "kubernetes: a sidecar that is asked to end with its pod leaves what was recorded" asked_to_end
try "kubernetes: init.yaml brings roclatch to the program's container, for kubectl exec" by_init
try "kubernetes: check says where it is, and list on the node does" place
try "kubernetes: check knows the pod's name where its host has another" place 's/^spec:/&\n  hostname: other/'
try "kubernetes: check knows the pod's name in the network of the node" place 's/^spec:/&\n  hostNetwork: true/'
opens "kubernetes: a pod runs for kubectl debug" pod init || exit 1
try "kubernetes: kubectl debug and kubectl cp as they are written, without the profile" debugs by_debug
try "kubernetes: a program with more capabilities needs the profile that is written" debug_needs
try "kubernetes: from the node, by kubectl debug node" from_node
try "kubernetes: the pods of a job, by the line of docs/clusters.md" run_of_two
pods_end
[ -z "${STAY-}" ] || sleep 3600
