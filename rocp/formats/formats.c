/* SPDX-License-Identifier: MIT */
#include "rocp/formats/formats.h"

#include <errno.h>
#include <sys/stat.h>

#include "rocp/formats/settings.h"

/* --minimum-output-data: a recording with less in it is not worth files. */
static int is_too_small(const struct conversion *conversion, bool *small, struct err *err)
{
	struct stat st;
	*small = false;
	if (!conversion->settings->least_bytes)
		return 0;
	if (stat(conversion->trace->path, &st) < 0)
		return err_set(err, ERR_FAILED, errno, "cannot look at %s", conversion->trace->path);
	*small = (uint64_t)st.st_size < conversion->settings->least_bytes;
	return 0;
}

int formats_write(const struct conversion *conversion, struct err *err)
{
	static const struct {
		enum format format;
		const char *name;
		int (*write)(const struct conversion *conversion, struct err *err);
	} writers[] = {
		{ FORMAT_CSV, "csv", csv_write }, { FORMAT_JSON, "json", json_write },
		{ FORMAT_PFTRACE, "pftrace", pftrace_write }, { FORMAT_ROCPD, "rocpd", rocpd_write },
		{ FORMAT_HTML, "html", html_write },
	};
	bool small;
	if (is_too_small(conversion, &small, err) < 0)
		return -1;
	if (small)
		return 0;
	for (size_t i = 0; i < sizeof writers / sizeof writers[0]; i++) {
		if (!(conversion->settings->formats & writers[i].format))
			continue;
		if (conversion->progress)
			conversion->progress(conversion->ctx, writers[i].name, 0);
		if (writers[i].write(conversion, err) < 0)
			return -1;
		if (conversion->progress)
			conversion->progress(conversion->ctx, writers[i].name, 1);
	}
	return conversion->settings->output_config ? config_write(conversion, err) : 0;
}
