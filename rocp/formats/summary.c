/* SPDX-License-Identifier: MIT */
/* --summary, --summary-per-domain and --summary-groups. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rocp/matching.h"
#include "rocp/formats/label.h"
#include "rocp/formats/settings.h"
#include "rocp/formats/summary_table.h"
#include "rocp/formats/totals.h"

/* A group is an expression of ECMAScript's kind that fits a domain's whole name.  POSIX's are near
 * enough for names; only groups that capture nothing are written differently. */
static int compile(regex_t *regex, const char *group, struct err *err)
{
	char *text = malloc(strlen(group) + sizeof "^()$"), *to = text, why[128];
	if (!text)
		return err_set(err, ERR_FAILED, ENOMEM, "read a group of domains");
	to = stpcpy(to, "^(");
	for (const char *at = group; *at; at++) {
		*to++ = *at;
		if (!strncmp(at, "(?:", 3))
			at += 2;
		else if (*at == '\\' && at[1])
			*to++ = *++at;
	}
	strcpy(to, ")$");
	int rc = matching_compile(regex, text, why, sizeof why);
	free(text);
	if (!rc)
		return 0;
	err_set(err, ERR_USAGE, 0, "the summary's group '%.80s' cannot be used: %s", group, why);
	return err_remedy(err, "name domains as in 'KERNEL_DISPATCH|MEMORY_COPY'");
}

int summary_group_check(const char *group, struct err *err)
{
	regex_t regex;
	if (compile(&regex, group, err) < 0)
		return -1;
	regfree(&regex);
	return 0;
}

static int write_group(const struct conversion *conversion, const char *group, struct file *out, struct err *err)
{
	regex_t regex;
	char title[DOMAINS * 40] = "", label[32];
	unsigned domains = 0;
	if (compile(&regex, group, err) < 0)
		return -1;
	for (size_t i = 0; i < DOMAINS; i++) {
		domain_label(domain_order[i], label);
		if (!stat_shown(conversion->stats, domain_order[i]) || regexec(&regex, label, 0, NULL, 0))
			continue;
		if (domains)
			strcat(title, " + ");
		strcat(title, label);
		domains |= DOMAIN_BIT(domain_order[i]);
	}
	regfree(&regex);
	strcat(title, " SUMMARY");
	return summary_table(conversion, domains, title, out, err);
}

static int write_domains(const struct conversion *conversion, struct file *out, struct err *err)
{
	char title[64], label[32];
	for (size_t i = 0; i < DOMAINS; i++) {
		domain_label(domain_order[i], label);
		snprintf(title, sizeof title, "%s SUMMARY", label);
		if (summary_table(conversion, DOMAIN_BIT(domain_order[i]), title, out, err) < 0)
			return -1;
	}
	return 0;
}

int summary_write(const struct conversion *conversion, struct file *out, struct err *err)
{
	const struct settings *settings = conversion->settings;
	if (settings->summary_per_domain && write_domains(conversion, out, err) < 0)
		return -1;
	for (size_t i = 0; i < settings->summary_groups; i++)
		if (write_group(conversion, settings->summary_group[i], out, err) < 0)
			return -1;
	return settings->summary ? summary_table(conversion, DOMAINS_ALL, "SUMMARY", out, err) : 0;
}
