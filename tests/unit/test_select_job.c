/* SPDX-License-Identifier: MIT */
/* Control groups and Slurm jobs in a made folder that looks like /proc. */
#include "rocp/select_job.h"

#include "select_case.h"

static void make_process(int pid, char state, const char *name, const char *cgroup, const char *environment, size_t size)
{
	put_process(pid, 1, state, name);
	put(cgroup, "%d/cgroup", pid);
	put_bytes(environment, size, "%d/environ", pid);
}
#define MAKE(pid, name, cgroup, environment) make_process(pid, 'S', name, cgroup, environment, sizeof(environment))

void setUp(void) { select_begin(); }

static void test_a_group_and_those_below_it_are_meant_and_no_neighbour(void)
{
	static const struct { const char *group; bool in; } rows[] = {
		{ "/system.slice/work.scope", true }, { "/system.slice/work.scope/", true }, { "system.slice/work.scope", true },
		{ "/system.slice", true }, { "/sys/fs/cgroup/system.slice/work.scope", true },
		{ "/sys/fs/cgroup/unified/system.slice", true }, { "/sys/fs/cgroup/system.slice/work.scope/sub", true },
		{ "/system.slice/work", false }, { "/system", false }, { "/work.scope", false }, { "/unified/system.slice", false },
		{ "/system.slice/work.scope/sub/deeper", false }, { "/sys/fs/cgroup/memory/system.slice", false },
	};
	MAKE(7, "app", "0::/system.slice/work.scope/sub\n", "");
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		TEST_ASSERT_EQUAL_MESSAGE(rows[i].in, select_in_cgroup(proc, 7, rows[i].group), rows[i].group);
}

static void test_the_first_version_has_a_folder_for_each_hierarchy(void)
{
	static const struct { const char *group; bool in; } rows[] = {
		{ "/slurm/uid_0/job_42", true }, { "/user.slice", true }, { "/sys/fs/cgroup/memory/slurm/uid_0", true },
		{ "/sys/fs/cgroup/cpu,cpuacct/slurm", true }, { "/sys/fs/cgroup/cpuacct/slurm", true },
		{ "/sys/fs/cgroup/systemd/user.slice", true }, { "/sys/fs/cgroup/systemd/slurm", false },
		{ "/sys/fs/cgroup/cpu/user.slice", false }, { "/sys/fs/cgroup/cpuset/slurm", false }, { "/sys/fs/cgroup/memory/other", false },
		{ "/sys/fs/cgroup/slurm/uid_0", false }, { "/memory/slurm", false },
	};
	MAKE(7, "app", "5:memory:/slurm/uid_0/job_42\n4:cpu,cpuacct:/slurm/uid_0/job_42\n1:name=systemd:/user.slice\n", "");
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		TEST_ASSERT_EQUAL_MESSAGE(rows[i].in, select_in_cgroup(proc, 7, rows[i].group), rows[i].group);
}

static void test_a_job_is_told_by_variables_or_by_the_group(void)
{
	static const struct { const char *job; const char *in; } rows[] = {
		{ "42", "12356" }, { "42.0", "12" }, { "42.1", "3" }, { "42.batch", "5" }, { "4", "" }, { "420", "4" }, { "43", "" },
		{ "42.00", "" },
	};
	MAKE(1, "app", "0::/x\n", "A=1\0SLURM_JOB_ID=42\0SLURM_STEP_ID=0");
	MAKE(2, "app", "0::/x\n", "SLURM_JOBID=42\0SLURM_STEPID=0");
	MAKE(3, "app", "0::/system.slice/slurmstepd.scope/job_42/step_1/user/task_0\n", "PATH=/");
	MAKE(4, "app", "0::/slurm/job_420/step_0\n", "MY_SLURM_JOB_ID=42\0SLURM_JOB_ID2=42");
	MAKE(5, "app", "3:memory:/slurm/uid_0/job_42/step_batch\n", "");
	MAKE(6, "app", "0::/step_0/job_42\n", "");
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char found[16] = "";
		for (int pid = 1; pid <= 6; pid++)
			if (select_in_slurm_job(proc, pid, rows[i].job))
				snprintf(found + strlen(found), sizeof found - strlen(found), "%d", pid);
		TEST_ASSERT_EQUAL_STRING_MESSAGE(rows[i].in, found, rows[i].job);
	}
}

static void test_a_task_of_slurm_takes_the_processes_of_its_node_alone(void)
{
	MAKE(1, "app", "0::/x\n", "SLURM_JOB_ID=42\0SLURMD_NODENAME=n1");
	MAKE(2, "app", "0::/job_42\n", "SLURM_JOB_ID=42\0SLURMD_NODENAME=n2");
	MAKE(3, "app", "0::/job_42\n", "MY_SLURMD_NODENAME=n2");
	setenv("SLURMD_NODENAME", "n1", 1);
	bool first = select_in_slurm_job(proc, 1, "42"), second = select_in_slurm_job(proc, 2, "42"), third = select_in_slurm_job(proc, 3, "42");
	unsetenv("SLURMD_NODENAME");
	TEST_ASSERT_TRUE_MESSAGE(first, "of our node");
	TEST_ASSERT_FALSE_MESSAGE(second, "of another node");
	TEST_ASSERT_TRUE_MESSAGE(third, "of a node that is not known");
	TEST_ASSERT_TRUE_MESSAGE(select_in_slurm_job(proc, 2, "42"), "we are on no node of Slurm");
}

static void test_a_job_selects_its_work_and_not_what_runs_it(void)
{
	static const char *const helpers[] = { "slurmstepd", "slurmd", "srun", "salloc", "sbatch", "roclatch" };
	MAKE(100, "python3", "0::/x\n", "SLURM_JOB_ID=42");
	for (int i = 0; i < 6; i++)
		MAKE(101 + i, helpers[i], "0::/slurmstepd.scope/job_42/step_0\n", "SLURM_JOB_ID=42");
	MAKE(110, "srunner", "0::/x\n", "SLURM_JOB_ID=42");
	make_process(111, 'Z', "ended", "0::/x\n", "SLURM_JOB_ID=42", 16);
	request.slurm_job = "42";
	request.children = true;
	TEST_ASSERT_EQUAL_MESSAGE(0, select_processes(&selection, &request, proc, &err), err.text);
	TEST_ASSERT_EQUAL(2, selection.n);
	TEST_ASSERT_EQUAL(100, selection.v[0].pid);
	TEST_ASSERT_EQUAL(110, selection.v[1].pid);
	TEST_ASSERT_FALSE(selection.v[0].required || selection.v[1].required);
}

static void test_who_is_given_too_stays_required_and_comes_once(void)
{
	MAKE(100, "a", "0::/work\n", "");
	MAKE(101, "b", "0::/work/below\n", "");
	request.pid = (pid_t[]){ 101 };
	request.pids = 1;
	request.cgroup = "/work";
	TEST_ASSERT_EQUAL_MESSAGE(0, select_processes(&selection, &request, proc, &err), err.text);
	TEST_ASSERT_EQUAL(2, selection.n);
	TEST_ASSERT_TRUE(selection.v[0].pid == 101 && selection.v[0].required);
	TEST_ASSERT_TRUE(selection.v[1].pid == 100 && !selection.v[1].required);
}

static void test_a_group_without_processes_is_told(void)
{
	MAKE(100, "a", "0::/work\n", "");
	request.cgroup = "/other";
	TEST_ASSERT_EQUAL(-1, select_processes(&selection, &request, proc, &err));
	TEST_ASSERT_EQUAL(ERR_NOT_POSSIBLE, err.code);
	TEST_ASSERT_EQUAL_STRING("no process is in the control group /other", err.text);
	request.cgroup = NULL;
	request.slurm_job = "7.1";
	TEST_ASSERT_EQUAL(-1, select_processes(&selection, &request, proc, &err));
	TEST_ASSERT_EQUAL(ERR_NOT_POSSIBLE, err.code);
	TEST_ASSERT_EQUAL_STRING("no process of Slurm job 7.1 is on this node", err.text);
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_a_group_and_those_below_it_are_meant_and_no_neighbour);
	RUN_TEST(test_the_first_version_has_a_folder_for_each_hierarchy);
	RUN_TEST(test_a_job_is_told_by_variables_or_by_the_group);
	RUN_TEST(test_a_task_of_slurm_takes_the_processes_of_its_node_alone);
	RUN_TEST(test_a_job_selects_its_work_and_not_what_runs_it);
	RUN_TEST(test_who_is_given_too_stays_required_and_comes_once);
	RUN_TEST(test_a_group_without_processes_is_told);
	return UNITY_END();
}
