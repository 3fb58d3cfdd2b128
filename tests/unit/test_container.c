/* SPDX-License-Identifier: MIT */
/* What cgroups and mounts say about containers. */
#include "rocp/container.h"

#include <stdlib.h>
#include <string.h>

#include "unity.h"

#define ID "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define POD "kubepods-burstable-pod5f3a2b1c_0d4e_4f5a_8b6c_7d8e9f0a1b2c.slice"

void setUp(void) {}
void tearDown(void) {}

static void expect_cgroup(const char *text, const char *wanted)
{
	struct container container;
	char shown[128];
	bool found = container_of_cgroup(&container, text, strlen(text));
	container_text(&container, shown, sizeof shown);
	TEST_ASSERT_EQUAL_STRING_MESSAGE(wanted, shown, text);
	TEST_ASSERT_EQUAL(strcmp(wanted, "-") != 0, found);
}

static void test_containers_are_named_by_their_cgroup(void)
{
	expect_cgroup("0::/system.slice/docker-" ID ".scope\n", "docker 0123456789ab");
	expect_cgroup("2:cpu:/\n4:memory:/docker/" ID "\n0::/\n", "docker 0123456789ab");
	expect_cgroup("0::/machine.slice/libpod-" ID ".scope/container\n", "podman 0123456789ab");
	expect_cgroup("0::/libpod_parent/libpod-" ID "\n", "podman 0123456789ab");
	expect_cgroup("0::/user.slice/user-1000.slice/user@1000.service/user.slice/libpod-" ID ".scope", "podman 0123456789ab");
	expect_cgroup("0::/kubepods.slice/kubepods-burstable.slice/" POD "/cri-containerd-" ID ".scope\n", "k8s 0123456789ab");
	expect_cgroup("3:pids:/kubepods/burstable/pod5f3a/" ID "\n", "k8s 0123456789ab");
	expect_cgroup("0::/kubepods.slice/" POD "/crio-" ID ".scope\n", "k8s 0123456789ab");
	expect_cgroup("0::/system.slice/nerdctl-" ID ".scope\n", "containerd 0123456789ab");
	expect_cgroup("0::/default/" ID "\n", "containerd 0123456789ab");
	expect_cgroup("0::/ecs/task/" ID "\n", "container 0123456789ab");
	expect_cgroup("0::/lxc.payload.web-1/system.slice/cron.service\n", "lxc web-1");
	expect_cgroup("9:cpuset:/lxc/web-1\n", "lxc web-1");
	expect_cgroup("0::/machine.slice/systemd-nspawn@box.service/payload\n", "nspawn box");
	/* seen from a cgroup namespace beside it */
	expect_cgroup("0::/../docker-" ID ".scope\n", "docker 0123456789ab");
	/* the innermost of several */
	expect_cgroup("0::/lxc.payload.web-1/system.slice/docker-" ID ".scope\n", "docker 0123456789ab");
}

static void test_what_watches_a_container_is_not_in_it(void)
{
	expect_cgroup("0::/machine.slice/libpod-conmon-" ID ".scope\n", "-");
	expect_cgroup("0::/kubepods.slice/crio-conmon-" ID ".scope\n", "-");
	expect_cgroup("0::/lxc.monitor.web-1\n", "-");
	expect_cgroup("0::/system.slice/docker.service\n", "-");
	expect_cgroup("0::/system.slice/containerd.service\n", "-");
	expect_cgroup("0::/user.slice/user-1000.slice/session-2.scope\n", "-");
}

static void test_odd_cgroups_name_nobody(void)
{
	expect_cgroup("", "-");
	expect_cgroup("0::/\n", "-");
	expect_cgroup("\n\n::::\n/", "-");
	expect_cgroup("0::/docker/", "-");
	expect_cgroup("0::/lxc/", "-");
	expect_cgroup("0::/lxc.payload.\n", "-");
	expect_cgroup("0::/docker-0123.scope\n", "-");
	expect_cgroup("0::/docker-" ID "0.scope\n", "-");
	expect_cgroup("no path at all", "-");
}

static void test_a_long_name_is_cut(void)
{
	char text[512], name[201];
	struct container container;
	memset(name, 'n', 200);
	name[200] = '\0';
	snprintf(text, sizeof text, "0::/lxc.payload.%s\n", name);
	TEST_ASSERT_TRUE(container_of_cgroup(&container, text, strlen(text)));
	TEST_ASSERT_EQUAL(sizeof container.id - 1, strlen(container.id));
}

static void expect_mounts(const char *text, const char *wanted)
{
	struct container container;
	bool found = container_of_mounts(&container, text, strlen(text));
	TEST_ASSERT_EQUAL_MESSAGE(wanted != NULL, found, text);
	if (wanted)
		TEST_ASSERT_EQUAL_STRING_MESSAGE(wanted, container.kind, text);
}

static void test_others_are_known_by_their_root(void)
{
	expect_mounts("800 600 0:62 /newroot / rw,nosuid,nodev,relatime shared:9 - tmpfs tmpfs rw,mode=755\n"
		      "801 800 8:1 /usr /usr ro - ext4 /dev/sda1 rw\n", "bwrap");
	expect_mounts("700 600 0:53 / / ro,nosuid - overlay overlay ro,lowerdir=/usr/local/var/apptainer/mnt/session/"
		      "overlay-lowerdir\n", "apptainer");
	expect_mounts("700 600 8:1 /home/me/.local/share/enroot/rocm / rw - ext4 /dev/sda1 rw\n", "enroot");
	/* an image that it has mounted */
	expect_mounts("104 74 0:51 / / ro,nosuid - fuse.fuse-overlayfs fuse-overlayfs rw,user_id=1000,group_id=1000\n"
		      "141 104 0:51 /.lock /.lock ro,nosuid - fuse.fuse-overlayfs fuse-overlayfs rw,user_id=1000\n", "enroot");
	expect_mounts("26 1 8:1 / / rw - ext4 /dev/sda1 rw\n27 26 8:1 /other /.lock rw - ext4 /dev/sda1 rw\n", NULL);
	expect_mounts("26 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n", NULL);
	/* only the root counts */
	expect_mounts("26 1 8:1 / / rw - ext4 /dev/sda1 rw\n27 26 0:9 / /var/lib/apptainer/ rw - tmpfs tmpfs rw\n", NULL);
	expect_mounts("26 1 8:1 /newroot / rw - ext4 /dev/sda1 rw\n", NULL);
	expect_mounts("", NULL);
	expect_mounts("1 2\n / / / / /\n", NULL);
}

static void expect_engine(const char *text, const char *wanted)
{
	struct container container;
	char shown[96], *copy = malloc(strlen(text));   /* not one byte more, for a sanitizer to see */
	memcpy(copy, text, strlen(text));
	bool found = container_of_engine(&container, copy, strlen(text));
	free(copy);
	container_text(&container, shown, sizeof shown);
	TEST_ASSERT_EQUAL_MESSAGE(wanted != NULL, found, text);
	TEST_ASSERT_EQUAL_STRING_MESSAGE(wanted ? wanted : "-", shown, text);
}

/* Without root, and with version 1 of control groups, nothing else tells. */
static void test_engines_are_known_by_the_files_that_they_mount(void)
{
	expect_engine("560 520 0:61 / / rw - overlay overlay rw,lowerdir=/home/me/store/overlay/l/A,userxattr\n"
		      "571 560 0:46 /running/overlay-containers/" ID "/userdata/hosts /etc/hosts rw - tmpfs run rw\n",
		      "podman 0123456789ab");
	expect_engine("560 520 0:61 / / rw - overlay overlay rw,lowerdir=/home/me/.local/share/containers/storage/overlay/l/A\n",
		      "podman");
	expect_engine("9 1 8:1 /var/lib/docker/containers/" ID "/hosts /etc/hosts rw - ext4 /dev/sda1 rw\n", "docker 0123456789ab");
	/* what is told wrong is told without an id */
	expect_engine("9 1 8:1 /overlay-containers/" ID "0/hosts /etc/hosts rw - ext4 /dev/sda1 rw\n", "podman");
	expect_engine("9 1 8:1 /overlay-containers/x\033[31m /etc/hosts rw - ext4 /dev/sda1 rw\n", "podman");
	expect_engine("9 1 8:1 / / rw - ext4 /overlay-containers/" ID, "podman");
	/* a machine with containers, and a folder of one that somebody has made his root */
	expect_engine("26 1 8:1 / / rw - ext4 /dev/sda1 rw\n"
		      "41 26 0:31 / /var/lib/docker/overlay2/x/merged rw - overlay overlay rw,lowerdir=/var/lib/docker/overlay2/l/A\n", NULL);
	expect_engine("26 1 0:9 /home/x / rw - overlay overlay rw,lowerdir=/var/lib/docker/overlay2/l/A\n", NULL);
	expect_engine("1 2\n / / / / /\n", NULL);
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_containers_are_named_by_their_cgroup);
	RUN_TEST(test_what_watches_a_container_is_not_in_it);
	RUN_TEST(test_odd_cgroups_name_nobody);
	RUN_TEST(test_a_long_name_is_cut);
	RUN_TEST(test_others_are_known_by_their_root);
	RUN_TEST(test_engines_are_known_by_the_files_that_they_mount);
	return UNITY_END();
}
