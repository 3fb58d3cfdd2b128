/* SPDX-License-Identifier: MIT */
#include "rocp/surroundings.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "inject/proc.h"

#define SECRETS "/var/run/secrets/kubernetes.io"
#define FIRST_PID_NAMESPACE "pid:[4026531836]"  /* PROC_PID_INIT_INO, include/linux/proc_ns.h */

struct look { struct surroundings *found; const char *proc, *root; char *const *environment; };

static const char *variable(const struct look *look, const char *name)
{
	size_t length = strlen(name);
	for (char *const *at = look->environment; *at; at++)
		if (!strncmp(*at, name, length) && (*at)[length] == '=')
			return *at + length + 1;
	return NULL;
}

static bool there(const struct look *look, const char *path)
{
	char full[512];
	snprintf(full, sizeof full, "%s%s", look->root, path);
	return access(full, F_OK) == 0;
}

static void take(char *into, size_t size, const char *text)
{
	size_t n = text ? strcspn(text, "\n") : 0;
	bool good = n > 0 && n < size && text[0] != '-';
	for (size_t i = 0; good && i < n; i++)
		good = isalnum((unsigned char)text[i]) || strchr("._-+", text[i]);
	snprintf(into, size, "%.*s", good ? (int)n : 0, good ? text : "");
}

static void take_file(const struct look *look, char *into, size_t size, const char *path)
{
	char text[256];
	ssize_t n = proc_read_into(text, sizeof text, "%s%s", look->root, path);
	take(into, size, n > 0 ? text : NULL);
}

static bool by_mounts(struct look *look)
{
	struct container *found = &look->found->container;
	size_t size;
	char *text = proc_read(&size, NULL, "%s/self/mountinfo", look->proc);
	if (!text)
		return false;
	bool any = container_of_mounts(found, text, size) || container_of_engine(found, text, size);
	free(text);
	return any;
}

/* A file that marks a container is also found where its tree was made the root of a machine. */
static bool by_marks(struct look *look)
{
	static const struct { const char *word, *kind; } engines[] = {
		{ "podman", "podman" }, { "docker", "docker" }, { "lxc", "lxc" }, { "systemd-nspawn", "nspawn" },
	};
	struct container *found = &look->found->container;
	char path[4200], name[64] = "";
	snprintf(path, sizeof path, "%s/self/ns/pid", look->proc);
	ssize_t n = readlink(path, name, sizeof name - 1);
	if (n <= 0 || !strcmp(name, FIRST_PID_NAMESPACE))
		return false;
	const char *word = variable(look, "container");
	for (size_t i = 0; word && i < sizeof engines / sizeof *engines; i++)
		if (!strcmp(word, engines[i].word))
			found->kind = engines[i].kind;
	if (!found->kind)
		found->kind = there(look, "/.dockerenv") ? "docker" : there(look, "/run/.containerenv") ? "podman" : "container";
	return true;
}

/* These say it themselves, and share the ids of processes with the machine. */
static bool by_variables(struct look *look)
{
	bool apptainer = variable(look, "APPTAINER_CONTAINER") || variable(look, "SINGULARITY_CONTAINER");
	bool enroot = variable(look, "ENROOT_ROOTFS") || there(look, "/etc/enroot");
	if (apptainer || enroot)
		look->found->container.kind = apptainer ? "apptainer" : "enroot";
	return apptainer;
}

/* A cgroup whose name is an id and no more is one of an engine that was told where to make it: the id holds, and other
 * signs may say which engine that is. */
static void look_for_container(struct look *look)
{
	char cgroup[8192];
	struct container *found = &look->found->container, unnamed;
	ssize_t n = proc_read_into(cgroup, sizeof cgroup, "%s/self/cgroup", look->proc);
	if (by_variables(look))
		return;
	if (n > 0 && container_of_cgroup(found, cgroup, (size_t)n) && strcmp(found->kind, "container"))
		return;
	unnamed = *found;
	if (!by_mounts(look)) {
		*found = (struct container){ 0 };
		by_marks(look);
	}
	if (!found->kind)
		found->kind = unnamed.kind;
	if (!found->id[0])
		memcpy(found->id, unnamed.id, sizeof found->id);
}

static bool is_pod(const struct look *look)
{
	const char *kind = look->found->container.kind;
	return variable(look, "KUBERNETES_SERVICE_HOST") || there(look, SECRETS) || (kind && !strcmp(kind, "k8s"));
}

/* The middle part of a token: JSON in the base64 of file names. */
static void read_claims(char *into, size_t size, const char *token)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
	const char *at = strchr(token, '.'), *digit;
	unsigned bits = 0, n = 0;
	size_t length = 0;
	while (at && *++at && (digit = strchr(digits, *at)) && length + 1 < size) {
		bits = bits << 6 | (unsigned)(digit - digits);
		n += 6;
		if (n >= 8)
			into[length++] = (char)(bits >> (n -= 8));
	}
	into[length] = '\0';
}

/* What the pod's own token says. A host name need not be the pod's: those of indexed jobs are not, and where the network is
 * the node's, it is the node's. */
static bool take_claimed(const struct look *look, char *into, size_t size)
{
	static const char before[] = "\"pod\":{\"name\":\"";
	char token[4096], claims[4096];
	if (proc_read_into(token, sizeof token, "%s" SECRETS "/serviceaccount/token", look->root) <= 0)
		return false;
	read_claims(claims, sizeof claims, token);
	char *name = strstr(claims, before);
	if (!name)
		return false;
	name += strlen(before);
	name[strcspn(name, "\"")] = '\0';
	take(into, size, name);
	return into[0];
}

static bool has_network_of_node(const struct look *look)
{
	char hosts[256];        /* pkg/kubelet/kubelet_pods.go begins it so */
	return proc_read_into(hosts, sizeof hosts, "%s/etc/hosts", look->root) > 0 && strstr(hosts, "hosts file (host network)");
}

static void look_for_pod(struct look *look)
{
	struct surroundings *found = look->found;
	const char *name = variable(look, "POD_NAME");
	if (!name && !has_network_of_node(look))
		name = variable(look, "HOSTNAME");
	if (!take_claimed(look, found->pod, sizeof found->pod))
		take(found->pod, sizeof found->pod, name);
	take_file(look, found->space, sizeof found->space, SECRETS "/serviceaccount/namespace");
	if (!found->space[0])
		take(found->space, sizeof found->space, variable(look, "POD_NAMESPACE"));
}

static bool shares_ids(const struct container *container)
{
	return !container->kind || !strcmp(container->kind, "apptainer") || !strcmp(container->kind, "enroot");
}

void surroundings_look(struct surroundings *surroundings, const char *proc, const char *root, char *const *environment)
{
	struct look look = { surroundings, proc, root, environment };
	*surroundings = (struct surroundings){ .kind = ON_METAL };
	look_for_container(&look);
	take(surroundings->job, sizeof surroundings->job, variable(&look, "SLURM_JOB_ID"));
	take(surroundings->step, sizeof surroundings->step, variable(&look, "SLURM_STEP_ID"));
	if (is_pod(&look)) {
		surroundings->kind = IN_KUBERNETES;
		look_for_pod(&look);
	} else if (surroundings->job[0] && shares_ids(&surroundings->container)) {
		surroundings->kind = IN_SLURM;
	} else if (surroundings->container.kind) {
		surroundings->kind = IN_CONTAINER;
	}
}

const char *surroundings_name(enum surroundings_kind kind)
{
	static const char *const names[] = { "machine", "container", "kubernetes", "slurm" };
	return names[kind];
}

void surroundings_text(const struct surroundings *surroundings, char *text, size_t size)
{
	char container[96];
	const char *kind = surroundings->container.kind;
	container_text(&surroundings->container, container, sizeof container);
	switch (surroundings->kind) {
	case IN_KUBERNETES:
		snprintf(text, size, "in a pod of Kubernetes%s%s%s%s", surroundings->pod[0] ? ", " : "", surroundings->pod,
			 surroundings->space[0] ? " in namespace " : "", surroundings->space);
		break;
	case IN_SLURM:
		snprintf(text, size, "in %s%s%sSlurm job %s%s%s", surroundings->step[0] ? "step " : "", surroundings->step,
			 surroundings->step[0] ? " of " : "", surroundings->job, kind ? ", in a container of " : "", kind ? kind : "");
		break;
	case IN_CONTAINER:
		snprintf(text, size, "in a container%s%s", strcmp(kind, "container") ? " of " : "",
			 strcmp(kind, "container") ? container : "");
		break;
	default:
		snprintf(text, size, "on the machine itself");
	}
}
