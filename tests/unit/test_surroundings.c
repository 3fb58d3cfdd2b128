/* SPDX-License-Identifier: MIT */
/* Where roclatch is, by made files and variables, and what it advises there. */
#include "rocp/surroundings.h"

#include "made_proc.h"

#define ID "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define FIRST "pid:[4026531836]"
#define OTHER "pid:[4026532000]"
#define LAYERS "27 1 0:9 / / rw - overlay overlay rw"
#define PLAIN_ROOT "27 1 254:0 / / rw - ext4 /dev/vda rw\n"

static char root[64];
static const char *variables[8];
static size_t n;

void setUp(void)
{
	proc_make();
	make_folder("self");
	make_folder("self/ns");
	make_folder("root");
	snprintf(root, sizeof root, "%s/root", proc);
	memset(variables, 0, sizeof variables);
	n = 0;
}

void tearDown(void)
{
	proc_remove();
}

static void in_pids(const char *name)
{
	make_link(name, "self/ns/pid");
}

static void set(const char *variable)
{
	variables[n++] = variable;
}

static void expect(enum surroundings_kind kind, const char *text)
{
	struct surroundings found;
	char shown[448];
	surroundings_look(&found, proc, root, (char *const *)variables);
	surroundings_text(&found, shown, sizeof shown);
	TEST_ASSERT_EQUAL_STRING(text, shown);
	TEST_ASSERT_EQUAL(kind, found.kind);
}

static void test_a_machine(void)
{
	in_pids(FIRST);
	put("0::/user.slice/user-1000.slice\n", "self/cgroup");
	put(PLAIN_ROOT "40 27 0:30 / /var/lib/docker/containers/" ID "/mounts/shm rw - tmpfs shm rw\n"
	    "41 27 0:31 / /var/lib/docker/overlay2/x/merged rw - overlay overlay rw,lowerdir=/var/lib/docker/overlay2/l/A\n"
	    "42 27 0:32 / /var/lib/kubelet/pods/1/volumes/x rw - tmpfs tmpfs rw\n", "self/mountinfo");
	expect(ON_METAL, "on the machine itself");
	/* the tree of a container as the root of a machine */
	put("", "root/.dockerenv");
	expect(ON_METAL, "on the machine itself");
}

static void test_nothing_that_can_be_read(void)
{
	expect(ON_METAL, "on the machine itself");
}

static void test_a_container_by_its_cgroup(void)
{
	in_pids(OTHER);
	put("0::/system.slice/docker-" ID ".scope\n", "self/cgroup");
	expect(IN_CONTAINER, "in a container of docker 0123456789ab");
}

static void test_a_container_by_what_its_engine_mounts(void)
{
	put("0::/\n", "self/cgroup");
	in_pids(FIRST);         /* docker run --pid host */
	put(LAYERS "\n40 27 254:0 /var/lib/docker/containers/" ID "/hostname /etc/hostname rw - ext4 /dev/vda rw\n",
	    "self/mountinfo");
	expect(IN_CONTAINER, "in a container of docker 0123456789ab");
	/* in the order in which Docker mounts them */
	put(LAYERS ",lowerdir=/var/lib/docker/overlay2/l/A\n39 27 0:24 / /dev/shm rw - tmpfs shm rw\n"
	    "40 27 254:0 /var/lib/docker/containers/" ID "/resolv.conf /etc/resolv.conf rw - ext4 /dev/vda rw\n"
	    "41 27 254:0 /var/lib/docker/containers/" ID "/hostname /etc/hostname rw - ext4 /dev/vda rw\n", "self/mountinfo");
	expect(IN_CONTAINER, "in a container of docker 0123456789ab");
	put(LAYERS "\n40 27 0:5 /containers/overlay-containers/" ID "/userdata/hosts /etc/hosts rw - tmpfs tmpfs rw\n",
	    "self/mountinfo");
	expect(IN_CONTAINER, "in a container of podman 0123456789ab");
	put(LAYERS ",lowerdir=/var/lib/containers/storage/overlay/l/A\n", "self/mountinfo");
	expect(IN_CONTAINER, "in a container of podman");
	put(LAYERS ",lowerdir=/var/lib/containerd/io.containerd.snapshotter.v1.overlayfs/1/fs\n", "self/mountinfo");
	expect(IN_CONTAINER, "in a container of containerd");
	put(LAYERS "\n40 27 254:0 /var/lib/kubelet/pods/1/etc-hosts /etc/hosts rw - ext4 /dev/vda rw\n", "self/mountinfo");
	expect(IN_KUBERNETES, "in a pod of Kubernetes");
}

static void test_a_container_by_its_marks(void)
{
	in_pids(OTHER);
	put(PLAIN_ROOT, "self/mountinfo");
	expect(IN_CONTAINER, "in a container");
	make_folder("root/run");
	put("", "root/run/.containerenv");
	expect(IN_CONTAINER, "in a container of podman");
	put("", "root/.dockerenv");
	expect(IN_CONTAINER, "in a container of docker");
	set("container=systemd-nspawn");
	expect(IN_CONTAINER, "in a container of nspawn");
}

static void test_an_id_in_a_cgroup_and_marks_of_an_engine(void)
{
	in_pids(OTHER);
	put("4:pids:/batch/" ID "\n", "self/cgroup");
	put(PLAIN_ROOT, "self/mountinfo");
	expect(IN_CONTAINER, "in a container");
	put("", "root/.dockerenv");
	expect(IN_CONTAINER, "in a container of docker 0123456789ab");
}

static void test_an_id_in_a_cgroup_and_the_ids_of_the_machine(void)
{
	in_pids(FIRST);
	put("4:pids:/batch/" ID "\n", "self/cgroup");
	put("", "root/.dockerenv");     /* which may be that of a tree, there */
	expect(IN_CONTAINER, "in a container");
	put(LAYERS "\n40 27 254:0 /var/lib/docker/containers/" ID "/hostname /etc/hostname rw - ext4 /dev/vda rw\n",
	    "self/mountinfo");
	expect(IN_CONTAINER, "in a container of docker 0123456789ab");
}

#define SECRETS "root/var/run/secrets/kubernetes.io/serviceaccount"

static void make_secrets(void)
{
	for (const char *at = "root/var\0root/var/run\0root/var/run/secrets\0root/var/run/secrets/kubernetes.io\0" SECRETS "\0"; *at;
	     at += strlen(at) + 1)
		make_folder("%s", at);
}

static void test_a_pod(void)
{
	in_pids(OTHER);
	set("KUBERNETES_SERVICE_HOST=10.0.0.1");
	expect(IN_KUBERNETES, "in a pod of Kubernetes");
	set("HOSTNAME=train-0");
	expect(IN_KUBERNETES, "in a pod of Kubernetes, train-0");
	make_secrets();
	put("ml\n", SECRETS "/namespace");
	expect(IN_KUBERNETES, "in a pod of Kubernetes, train-0 in namespace ml");
	variables[0] = "A=b";
	expect(IN_KUBERNETES, "in a pod of Kubernetes, train-0 in namespace ml");
}

/* {"aud":["x"],"kubernetes.io":{"namespace":"ml","node":{"name":"n1"},"pod":{"name":"train-0-x7k2p",...}},...} */
#define CLAIMS \
	"eyJhdWQiOlsieCJdLCJrdWJlcm5ldGVzLmlvIjp7Im5hbWVzcGFjZSI6Im1sIiwibm9kZSI6eyJuYW1lIjoibjEifS" \
	"wicG9kIjp7Im5hbWUiOiJ0cmFpbi0wLXg3azJwIiwidWlkIjoiMSJ9fSwic3ViIjoiw7_Dvj4_In0"
#define CLAIMS_CUT "eyJhdWQiOlsieCJdLCJrdWJlcm5ldGVzLmlvIjp7"
#define HOSTILE_CLAIMS "eyJrdWJlcm5ldGVzLmlvIjp7InBvZCI6eyJuYW1lIjoiJChyZWJvb3QpIn19fQ"  /* a pod's name of $(reboot) */

static void test_a_pod_whose_host_has_another_name(void)
{
	in_pids(OTHER);
	set("KUBERNETES_SERVICE_HOST=10.0.0.1");
	set("HOSTNAME=train-0");
	make_folder("root/etc");
	put("# Kubernetes-managed hosts file.\n127.0.0.1\tlocalhost\n", "root/etc/hosts");
	expect(IN_KUBERNETES, "in a pod of Kubernetes, train-0");
	put("# Kubernetes-managed hosts file (host network).\n127.0.0.1\tlocalhost\n", "root/etc/hosts");
	expect(IN_KUBERNETES, "in a pod of Kubernetes");
	make_secrets();
	put("h." CLAIMS ".s", SECRETS "/token");
	expect(IN_KUBERNETES, "in a pod of Kubernetes, train-0-x7k2p");
	set("POD_NAME=told");
	const char *const none[] = { "", ".", "h", "h." CLAIMS_CUT, "h.!" CLAIMS ".s", "h." HOSTILE_CLAIMS ".s" };
	for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
		put(none[i], SECRETS "/token");
		expect(IN_KUBERNETES, "in a pod of Kubernetes, told");
	}
}

static void test_a_step_of_slurm(void)
{
	in_pids(FIRST);
	set("SLURM_JOB_ID=42");
	expect(IN_SLURM, "in Slurm job 42");
	set("SLURM_STEP_ID=0");
	expect(IN_SLURM, "in step 0 of Slurm job 42");
	set("SINGULARITY_CONTAINER=/image.sif");
	expect(IN_SLURM, "in step 0 of Slurm job 42, in a container of apptainer");
}

static void test_what_a_shell_would_obey_is_not_told(void)
{
	in_pids(FIRST);
	set("SLURM_JOB_ID=42; rm -rf /");
	expect(ON_METAL, "on the machine itself");
	variables[0] = "SLURM_JOB_ID=--help";
	expect(ON_METAL, "on the machine itself");
	variables[0] = "SLURM_JOB_ID=";
	expect(ON_METAL, "on the machine itself");
	variables[0] = "KUBERNETES_SERVICE_HOST=x";
	set("HOSTNAME=$(reboot)");
	expect(IN_KUBERNETES, "in a pod of Kubernetes");
}

static const struct row {
	enum surroundings_kind kind;
	const char *container;
	enum err_lack lack;
	const char *remedy;
} rows[] = {
	{ ON_METAL, NULL, LACK_NOTHING, "as it was" },
	{ IN_KUBERNETES, "k8s", LACK_NOTHING, "as it was" },
	{ ON_METAL, NULL, LACK_RIGHT,
	  "as it was" },
	{ ON_METAL, NULL, LACK_OWNER,
	  "run roclatch as root or as the owner of the process: sudo -u '#1000' roclatch check -p 7" },
	{ IN_CONTAINER, "docker", LACK_OWNER,
	  "docker exec -u 1000 0123456789ab roclatch check -p 7; or start this container with "
	  "--cap-add SYS_PTRACE, and root in it" },
	{ IN_CONTAINER, "podman", LACK_RIGHT,
	  "podman run --cap-add SYS_PTRACE --pid container:0123456789ab IMAGE roclatch check -p 7; "
	  "or on the host, with the id there: sudo roclatch list" },
	{ IN_CONTAINER, "containerd", LACK_SIGHT,
	  "process ids are this container's own; to see those of another: nerdctl run --pid "
	  "container:NAME --cap-add SYS_PTRACE IMAGE roclatch list; or on the host: sudo roclatch list" },
	{ IN_CONTAINER, "docker", LACK_FILTER,
	  "start this container with --cap-add SYS_PTRACE, which allows ptrace in the default profile, "
	  "or with --security-opt seccomp=PROFILE; or run roclatch on the host" },
	{ IN_CONTAINER, "docker", LACK_OUTSIDE,
	  "run roclatch as root outside of all containers, with the id that the process has there: "
	  "sudo roclatch list shows it" },
	{ IN_CONTAINER, "lxc", LACK_RIGHT,
	  "start this container with CAP_SYS_PTRACE, or run roclatch as root on the host" },
	{ IN_CONTAINER, "bwrap", LACK_RIGHT,
	  "run roclatch outside of the sandbox" },
	{ IN_KUBERNETES, "k8s", LACK_RIGHT,
	  "for this container securityContext: {runAsUser: 0, capabilities: {add: [SYS_PTRACE]}}; or kubectl "
	  "debug -it train-0 -n ml --image=IMAGE --target=CONTAINER --profile=general" },
	{ IN_KUBERNETES, "k8s", LACK_OWNER,
	  "for this container securityContext: {runAsUser: 1000}, or securityContext: {runAsUser: 0, "
	  "capabilities: {add: [SYS_PTRACE]}}" },
	{ IN_KUBERNETES, "k8s", LACK_SIGHT,
	  "shareProcessNamespace: true in the pod's spec; or kubectl debug -it train-0 -n ml --image=IMAGE "
	  "--target=CONTAINER --profile=general" },
	{ IN_KUBERNETES, "k8s", LACK_OUTSIDE,
	  "run roclatch on the node: kubectl debug node/NODE -it --image=IMAGE --profile=sysadmin" },
	{ IN_SLURM, NULL, LACK_OWNER,
	  "as the user of the job: srun --overlap --jobid=42 roclatch check -p 7" },
	{ IN_SLURM, NULL, LACK_SIGHT,
	  "each node has ids of its own; all that can be seen: srun --overlap --jobid=42 --ntasks-per-node=1 "
	  "roclatch list" },
};

static void test_the_remedy_is_one_for_the_place(void)
{
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct surroundings here = { .kind = rows[i].kind, .container = { rows[i].container, ID }, .pod = "train-0", .space = "ml",
					     .job = "42" };
		struct container none = { 0 };
		struct err err = { 0 };
		err_set(&err, ERR_NOT_POSSIBLE, 0, "no");
		err_remedy(&err, "as it was");
		err.lack = rows[i].lack;
		surroundings_remedy(&here, &none, 7, 1000, &err);
		TEST_ASSERT_EQUAL_STRING(rows[i].remedy, err.remedy);
	}
}

static void test_the_remedy_names_the_container_of_the_process(void)
{
	static const struct { const char *id, *named; } targets[] = {
		{ "fedcba98" "76543210" "fedcba98" "76543210" "fedcba98" "76543210" "fedcba98" "76543210", "container:fedcba987654 " },
		{ "", "container:0123456789ab " }, { "$(reboot)", "container:0123456789ab " },
	};
	struct surroundings here = { .kind = IN_CONTAINER, .container = { "docker", ID } };
	for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
		struct container target = { .kind = "container" };
		struct err err = { .lack = LACK_RIGHT };
		snprintf(target.id, sizeof target.id, "%s", targets[i].id);
		surroundings_remedy(&here, &target, 7, 0, &err);
		TEST_ASSERT_NOT_NULL(strstr(err.remedy, targets[i].named));
	}
}

/* The longest names there are must not cut a remedy short. */
static void test_no_remedy_is_cut(void)
{
	struct surroundings here = { .container = { "docker", ID } };
	struct container none = { 0 };
	memset(here.job, '9', sizeof here.job - 1);
	for (unsigned i = 0; i < 253 * 4 * LACK_SIGHT; i++) {
		unsigned kind = i / LACK_SIGHT % 4, lack = 1 + i % LACK_SIGHT, length = 1 + i / LACK_SIGHT / 4;
		memset(here.pod, 'p', length);
		memset(here.space, 's', length < 63 ? length : 63);
		struct err err = { .lack = (enum err_lack)lack };
		here.kind = (enum surroundings_kind)kind;
		surroundings_remedy(&here, &none, 4194304, 4294967294, &err);
		TEST_ASSERT_LESS_THAN(sizeof err.remedy - 1, strlen(err.remedy));
	}
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_a_machine);
	RUN_TEST(test_nothing_that_can_be_read);
	RUN_TEST(test_a_container_by_its_cgroup);
	RUN_TEST(test_a_container_by_what_its_engine_mounts);
	RUN_TEST(test_a_container_by_its_marks);
	RUN_TEST(test_an_id_in_a_cgroup_and_marks_of_an_engine);
	RUN_TEST(test_an_id_in_a_cgroup_and_the_ids_of_the_machine);
	RUN_TEST(test_the_remedy_names_the_container_of_the_process);
	RUN_TEST(test_a_pod);
	RUN_TEST(test_a_pod_whose_host_has_another_name);
	RUN_TEST(test_a_step_of_slurm);
	RUN_TEST(test_what_a_shell_would_obey_is_not_told);
	RUN_TEST(test_the_remedy_is_one_for_the_place);
	RUN_TEST(test_no_remedy_is_cut);
	return UNITY_END();
}
