/* SPDX-License-Identifier: MIT */
#include "inject/watch/profile.h"

void profile_name(struct profile *profile, struct naming *naming)
{
	for (size_t i = 0; i < profile->places_n; i++) {
		struct place *place = &profile->places[i];
		struct frame_name name;
		if (place->end)
			continue;
		naming_at(naming, place->pc, place->exact, &name);
		place->function = name.function;
		place->module = name.module;
		place->path = name.path;
		place->build_id = name.build_id;
		place->offset = name.offset;
		place->vaddr = name.vaddr;
	}
}
