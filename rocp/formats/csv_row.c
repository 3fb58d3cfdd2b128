/* SPDX-License-Identifier: MIT */
/* The tables that have a row for each event. */
#include <inttypes.h>

#include "rocp/formats/csv.h"
#include "rocp/formats/label.h"

#define API_COLUMNS "Domain,Function,Process_Id,Thread_Id,Correlation_Id,Start_Timestamp,End_Timestamp"

/* Upstream tells only of these which agent it is. */
#define ALLOCATE 1
#define VMEM_ALLOCATE 2

const char *csv_stem(enum domain domain)
{
	return domain == DOMAIN_KERNEL ? "kernel" : domain_key(domain);
}

const char *csv_columns(enum domain domain)
{
	switch (domain) {
	case DOMAIN_KERNEL:
		return "Kind,Agent_Id,Queue_Id,Stream_Id,Thread_Id,Dispatch_Id,Kernel_Id,Kernel_Name,Correlation_Id,"
		       "Start_Timestamp,End_Timestamp,LDS_Block_Size,Scratch_Size,VGPR_Count,Accum_VGPR_Count,SGPR_Count,"
		       "Workgroup_Size_X,Workgroup_Size_Y,Workgroup_Size_Z,Grid_Size_X,Grid_Size_Y,Grid_Size_Z";
	case DOMAIN_COPY:
		return "Kind,Direction,Stream_Id,Source_Agent_Id,Destination_Agent_Id,Correlation_Id,Start_Timestamp,End_Timestamp";
	case DOMAIN_ALLOCATION:
		return "Kind,Operation,Agent_Id,Allocation_Size,Address,Correlation_Id,Start_Timestamp,End_Timestamp";
	case DOMAIN_SCRATCH:
		return "Kind,Operation,Agent_Id,Queue_Id,Thread_Id,Alloc_Flags,Start_Timestamp,End_Timestamp,Allocation_Size";
	case DOMAIN_COUNTERS:
		return "Correlation_Id,Dispatch_Id,Agent_Id,Queue_Id,Process_Id,Thread_Id,Grid_Size,Kernel_Id,Kernel_Name,"
		       "Workgroup_Size,LDS_Block_Size,Scratch_Size,VGPR_Count,Accum_VGPR_Count,SGPR_Count,"
		       "Counter_Name,Counter_Value,Start_Timestamp,End_Timestamp";
	default:
		return API_COLUMNS;
	}
}

static void agent_cell(const struct csv *csv, struct row *row, uint64_t id)
{
	char label[32];
	agent_label(csv->conversion, id, label);
	csv_text(row, label);
}

static void times(struct row *row, const struct event *event)
{
	csv_number(row, event->start);
	csv_number(row, event->end);
}

static void api_row(const struct csv *csv, struct row *row, const struct event *event)
{
	csv_text(row, event->kind_name);
	csv_text(row, event->text ? event->text : event->operation_name);
	csv_number(row, csv->conversion->trace->pid);
	csv_number(row, event->thread);
	csv_number(row, event->correlation);
	times(row, event);
}

static void registers(struct row *row, const struct event *event)
{
	const struct kernel_symbol *kernel = event->kernel;
	csv_number(row, ((uint64_t)kernel->group_segment + 511) & ~(uint64_t)511);
	csv_number(row, event->private_segment);
	csv_number(row, kernel->arch_vgprs);
	csv_number(row, kernel->accum_vgprs);
	csv_number(row, kernel->sgprs);
}

static void dim_cells(struct row *row, const struct dim *dim)
{
	csv_number(row, dim->x);
	csv_number(row, dim->y);
	csv_number(row, dim->z);
}

static void kernel_row(const struct csv *csv, struct row *row, const struct event *event)
{
	csv_text(row, event->kind_name);
	agent_cell(csv, row, event->agent);
	csv_number(row, event->queue);
	csv_number(row, event->stream);
	csv_number(row, event->thread);
	csv_number(row, event->dispatch);
	csv_number(row, event->kernel->id);
	csv_text(row, stats_name(event));
	csv_number(row, event->correlation);
	times(row, event);
	registers(row, event);
	dim_cells(row, &event->workgroup);
	dim_cells(row, &event->grid);
}

static void copy_row(const struct csv *csv, struct row *row, const struct event *event)
{
	csv_text(row, event->kind_name);
	csv_text(row, event->operation_name);
	csv_number(row, event->stream);
	agent_cell(csv, row, event->agent2);
	agent_cell(csv, row, event->agent);
	csv_number(row, event->correlation);
	times(row, event);
}

static void allocation_row(const struct csv *csv, struct row *row, const struct event *event)
{
	csv_text(row, event->kind_name);
	csv_text(row, event->operation_name);
	agent_cell(csv, row, event->operation == ALLOCATE || event->operation == VMEM_ALLOCATE ? event->agent : 0);
	csv_number(row, event->bytes);
	csv_format(row, "\"0x%016" PRIx64 "\"", event->address);
	csv_number(row, event->correlation);
	times(row, event);
}

static void scratch_row(const struct csv *csv, struct row *row, const struct event *event)
{
	csv_text(row, event->kind_name);
	csv_text(row, event->operation_name);
	agent_cell(csv, row, event->agent);
	csv_number(row, event->queue);
	csv_number(row, event->thread);
	csv_signed(row, event->flags);
	times(row, event);
	csv_number(row, event->bytes);
}

static uint64_t product(const struct dim *dim)
{
	return (uint64_t)dim->x * dim->y * dim->z;
}

static void counter_cells(const struct csv *csv, struct row *row, const struct event *event, const struct counter_sum *sum)
{
	const struct trace *trace = csv->conversion->trace;
	const struct counter_info *info = trace_counter(trace, sum->counter);
	csv_number(row, event->correlation);
	csv_number(row, event->dispatch);
	agent_cell(csv, row, event->agent);
	csv_number(row, event->queue);
	csv_number(row, trace->pid);
	csv_number(row, event->thread);
	csv_number(row, product(&event->grid));
	csv_number(row, event->kernel->id);
	csv_text(row, stats_name(event));
	csv_number(row, product(&event->workgroup));
	registers(row, event);
	if (info)
		csv_text(row, info->name);
	else
		csv_format(row, "\"counter %" PRIu64 "\"", sum->counter);
	csv_format(row, sum->value >= 1 ? "%.6f" : "%.8e", sum->value);
	times(row, event);
}

void csv_row(const struct csv *csv, struct file *file, const struct event *event)
{
	struct row row = { file, false };
	switch (event->domain) {
	case DOMAIN_KERNEL: kernel_row(csv, &row, event); break;
	case DOMAIN_COPY: copy_row(csv, &row, event); break;
	case DOMAIN_ALLOCATION: allocation_row(csv, &row, event); break;
	case DOMAIN_SCRATCH: scratch_row(csv, &row, event); break;
	default: api_row(csv, &row, event); break;
	}
	csv_end(&row);
}

void csv_counter_row(const struct csv *csv, struct file *file, const struct event *event, const struct counter_sum *sum)
{
	struct row row = { file, false };
	counter_cells(csv, &row, event, sum);
	csv_end(&row);
}
