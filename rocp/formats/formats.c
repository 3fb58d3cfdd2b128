/* SPDX-License-Identifier: MIT */
#include "rocp/formats/formats.h"

#include "rocp/formats/settings.h"

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
