/* SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>

#include "rocp/formats/csv.h"

static int by_node(const void *a, const void *b)
{
	uint32_t left = (*(const struct agent *const *)a)->node, right = (*(const struct agent *const *)b)->node;
	return left < right ? -1 : left > right;
}

/* "cpu_cores_count" is the column Cpu_Cores_Count. */
static void name_column(struct row *row, const char *field)
{
	char name[64];
	size_t n = 0;
	for (; field[n] && n < sizeof name - 1; n++)
		name[n] = (char)(n && field[n - 1] != '_' ? field[n] : toupper((unsigned char)field[n]));
	name[n] = '\0';
	csv_text(row, name);
}

static void heading(struct file *file)
{
	static const char *const columns[] = {
		"node_id", "logical_node_id", "agent_type",
#define COLUMN(name) #name,
		AGENT_FIELDS(COLUMN)
#undef COLUMN
		"workgroup_max_dim_x", "workgroup_max_dim_y", "workgroup_max_dim_z",
		"grid_max_dim_x", "grid_max_dim_y", "grid_max_dim_z",
		"name", "vendor_name", "product_name", "model_name",
	};
	_Static_assert(sizeof columns / sizeof columns[0] == 53, "upstream has 53 columns");
	struct row row = { file, false };
	for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++)
		name_column(&row, columns[i]);
	csv_end(&row);
}

static void agent_row(struct file *file, const struct agent *agent)
{
	struct row row = { file, false };
	csv_number(&row, agent->node);
	csv_signed(&row, agent->logical_node);
	csv_text(&row, agent->is_gpu ? "GPU" : "CPU");
#define CELL(name) csv_number(&row, agent->name);
	AGENT_FIELDS(CELL)
#undef CELL
	const struct dim *dim[] = { &agent->workgroup_max_dim, &agent->grid_max_dim };
	for (size_t i = 0; i < 2; i++) {
		csv_number(&row, dim[i]->x);
		csv_number(&row, dim[i]->y);
		csv_number(&row, dim[i]->z);
	}
	csv_text(&row, agent->name);
	csv_text(&row, agent->vendor);
	csv_text(&row, agent->product);
	csv_text(&row, agent->model);
	csv_end(&row);
}

int csv_agents(const struct conversion *conversion, struct err *err)
{
	const struct trace *trace = conversion->trace;
	struct file file;
	if (!trace->agents)
		return 0;
	const struct agent **sorted = malloc(trace->agents * sizeof(const struct agent *));
	if (!sorted)
		return err_set(err, ERR_FAILED, ENOMEM, "sort agents");
	for (size_t i = 0; i < trace->agents; i++)
		sorted[i] = &trace->agent[i];
	qsort(sorted, trace->agents, sizeof *sorted, by_node);
	int rc = file_create(&file, conversion->base, "_agent_info.csv", err);
	if (rc == 0) {
		heading(&file);
		for (size_t i = 0; i < trace->agents; i++)
			agent_row(&file, sorted[i]);
		rc = csv_finish(conversion, &file, err);
	}
	free(sorted);
	return rc;
}
