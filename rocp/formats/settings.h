/* SPDX-License-Identifier: MIT */
/* Parts of settings_from. */
#ifndef ROCLATCH_ROCP_FORMATS_SETTINGS_H
#define ROCLATCH_ROCP_FORMATS_SETTINGS_H

#include "rocp/formats/formats.h"

/* A yes or no as the SDK reads it; *value stays as it is where there is no such variable. */
int setting_switch(const struct env *env, const char *name, bool *value, struct err *err);
/* ERR_USAGE for what AMD's tool alone can do. */
int settings_refuse(const struct settings *settings, const struct env *env, struct err *err);
/* --output-config: BASE_config.json. */
int config_write(const struct conversion *conversion, struct err *err);
/* Can this be a group of domains? */
int summary_group_check(const char *group, struct err *err);

#endif
