/* SPDX-License-Identifier: MIT */
/* A small library to inject: it has a constructor, a destructor and thread-local data. */
int probe_loaded;
__thread int probe_of_thread = 42;

__attribute__((constructor)) static void load(void)
{
	probe_loaded = probe_of_thread;
}

__attribute__((destructor)) static void unload(void)
{
	probe_loaded = 0;
}
