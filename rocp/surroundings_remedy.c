/* SPDX-License-Identifier: MIT */
/* What to do about a right that is lacking, by where we are. */
#include "rocp/surroundings.h"

#include <linux/capability.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "inject/proc.h"
#include "rocp/advice.h"

struct case_of { const struct surroundings *here; const struct container *target; pid_t pid; long uid; };

static bool is(const struct container *container, const char *kind)
{
	return container->kind && !strcmp(container->kind, kind);
}

static void on_metal(const struct case_of *of, struct err *err)
{
	if ((err->lack == LACK_OWNER || err->lack == LACK_OUTSIDE) && is(of->target, "podman") && geteuid() != 0)
		err_remedy(err, "podman unshare roclatch check -p %d (for a rootless container of yours), or: sudo roclatch check -p %d",
			   (int)of->pid, (int)of->pid);
	else if (err->lack == LACK_OWNER && of->uid > 0)
		err_remedy(err, "run roclatch as root or as the owner of the process: sudo -u '#%ld' roclatch check -p %d", of->uid,
			   (int)of->pid);
}

/* The engine's own command, where it has one that is as docker's. */
static const char *engine(const struct container *here)
{
	return is(here, "docker") ? "docker" : is(here, "podman") ? "podman" : is(here, "containerd") ? "nerdctl" : NULL;
}

static void in_container(const struct case_of *of, struct err *err)
{
	const char *engine_is = engine(&of->here->container);
	const char *by = engine_is ? engine_is : "docker", *id = of->here->container.id[0] ? of->here->container.id : "NAME";
	/* the one that we are in may be gone when this is pasted, as a sidecar that was refused is */
	const char *theirs = strspn(of->target->id, "0123456789abcdef") == 64 ? of->target->id : id;
	if (err->lack == LACK_OUTSIDE)
		err_remedy(err, "run roclatch as root outside of all containers, with the id that the process has there: "
			   "sudo roclatch list shows it");
	else if (!engine_is && is(&of->here->container, "bwrap"))
		err_remedy(err, "run roclatch outside of the sandbox");
	else if (!engine_is && err->lack == LACK_SIGHT)
		err_remedy(err, "process ids are this container's own: give the one that ps shows here, or run roclatch on the host "
			   "(roclatch list shows both ids)");
	else if (!engine_is && err->lack != LACK_FILTER)
		err_remedy(err, "start this container with CAP_SYS_PTRACE%s, or run roclatch as root on the host",
			   err->lack == LACK_OWNER ? ", or run roclatch in it as the owner of the process" : "");
	else if (err->lack == LACK_SIGHT)
		err_remedy(err, "process ids are this container's own; to see those of another: %s run --pid container:NAME "
			   "--cap-add SYS_PTRACE IMAGE roclatch list; or on the host: sudo roclatch list", by);
	else if (err->lack == LACK_OWNER && of->uid >= 0)
		err_remedy(err, "%s exec -u %ld %.12s roclatch check -p %d; or start this container with --cap-add SYS_PTRACE, and root "
			   "in it", by, of->uid, id, (int)of->pid);
	else if (err->lack == LACK_FILTER)
		err_remedy(err, "start this container with --cap-add SYS_PTRACE, which allows ptrace in the default profile, or with "
			   "--security-opt seccomp=PROFILE; or run roclatch on the host");
	else
		err_remedy(err, "%s run --cap-add SYS_PTRACE --pid container:%.12s IMAGE roclatch check -p %d; or on the host, with the "
			   "id there: sudo roclatch list", by, theirs, (int)of->pid);
}

#define NAMES_MAX 80    /* of pod and namespace: what a remedy has room for */
#define ADD_PTRACE "securityContext: {runAsUser: 0, capabilities: {add: [SYS_PTRACE]}}"

static void in_kubernetes(const struct case_of *of, struct err *err)
{
	const struct surroundings *here = of->here;
	char debug[256];
	bool fit = strlen(here->pod) + strlen(here->space) <= NAMES_MAX;
	snprintf(debug, sizeof debug, "kubectl debug -it %.*s%s%.*s --image=IMAGE --target=CONTAINER --profile=general",
		 NAMES_MAX, fit && here->pod[0] ? here->pod : "POD", fit && here->space[0] ? " -n " : "",
		 NAMES_MAX, fit ? here->space : "");
	if (err->lack == LACK_OUTSIDE)
		err_remedy(err, "run roclatch on the node: kubectl debug node/NODE -it --image=IMAGE --profile=sysadmin");
	else if (err->lack == LACK_SIGHT)
		err_remedy(err, "shareProcessNamespace: true in the pod's spec; or %s", debug);
	else if (err->lack == LACK_OWNER && of->uid > 0)
		err_remedy(err, "for this container securityContext: {runAsUser: %ld}, or " ADD_PTRACE, of->uid);
	else
		err_remedy(err, "for this container " ADD_PTRACE "; or %s", debug);
}

static void in_slurm(const struct case_of *of, struct err *err)
{
	const char *job = of->here->job;
	if (err->lack == LACK_OWNER)
		err_remedy(err, "as the user of the job: srun --overlap --jobid=%s roclatch check -p %d", job, (int)of->pid);
	else if (err->lack == LACK_SIGHT)
		err_remedy(err, "each node has ids of its own; all that can be seen: srun --overlap --jobid=%s --ntasks-per-node=1 "
			   "roclatch list", job);
	else if (err->lack == LACK_RIGHT)
		err_remedy(err, "as root on the node: sudo roclatch check -p %d, or there: sysctl kernel.yama.ptrace_scope=0; for nodes "
			   "of a cluster that is its administrator's to do", (int)of->pid);
}

void surroundings_remedy(const struct surroundings *surroundings, const struct container *target, pid_t pid, long uid,
			 struct err *err)
{
	static void (*const by_kind[])(const struct case_of *, struct err *) = { on_metal, in_container, in_kubernetes, in_slurm };
	const struct case_of of = { surroundings, target, pid, uid };
	if (err->lack)
		by_kind[surroundings->kind](&of, err);
}

int surroundings_advise(pid_t pid, struct err *err)
{
	struct surroundings here;
	struct container target;
	struct place ours;
	struct proc_status status;
	if (!err || !err->lack)
		return -1;
	surroundings_look(&here, "/proc", "", environ);
	place_ours(&ours, "/proc");
	container_of(&target, &ours, "/proc", pid);
	bool seen = proc_status(pid, 0, &status, NULL) == 0;
	surroundings_remedy(&here, &target, pid, seen ? (long)status.uid[1] : -1, err);
	return -1;
}

/* The kernel says so (AT_SECURE), but so it does where a security module has changed our domain. */
int surroundings_unprivileged(struct err *err)
{
	struct proc_status us;
	if (!getauxval(AT_SECURE) || proc_status(getpid(), 0, &us, NULL) < 0)
		return 0;
	bool set_id = us.uid[0] != us.uid[1] || us.gid[0] != us.gid[1];
	bool by_file = us.uid[0] != 0 && us.cap_permitted >> CAP_SYS_PTRACE & 1 &&
		       prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_IS_SET, CAP_SYS_PTRACE, 0, 0) != 1;
	if (!set_id && !by_file)
		return 0;
	err_set(err, ERR_NOT_POSSIBLE, 0, "roclatch has rights by %s, which would let everybody who may run it into every process",
		set_id ? "a set-user-id or set-group-id bit" : "file capabilities");
	return err_remedy(err, "%s, and grant instead: sudo roclatch ...; or for one user: sudo setpriv --reuid=USER --init-groups "
			  "--inh-caps=+sys_ptrace --ambient-caps=+sys_ptrace roclatch ...",
			  set_id ? "chmod ug-s its file" : "setcap -r its file");
}
