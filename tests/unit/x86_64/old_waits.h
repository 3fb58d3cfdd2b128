/* SPDX-License-Identifier: MIT */
/* System calls that newer CPUs do not have. */
#ifndef ROCLATCH_TESTS_OLD_WAITS_H
#define ROCLATCH_TESTS_OLD_WAITS_H

static void wait_poll(void) { syscall(SYS_poll, NULL, 0, 60000); }
static void wait_select(void) { syscall(SYS_select, 0, NULL, NULL, NULL, NULL); }
static void wait_pause(void) { syscall(SYS_pause); }
static void wait_old_epoll(void) { syscall(SYS_epoll_wait, epoll_create1(0), (char[64]){ 0 }, 1, -1); }
static void wait_old_epoll_timed(void) { syscall(SYS_epoll_wait, epoll_create1(0), (char[64]){ 0 }, 1, 60000); }

#define OLD_WAITS \
	{ "poll", wait_poll, SYS_poll, PICK_EXACT }, \
	{ "select", wait_select, SYS_select, PICK_EXACT }, \
	{ "pause", wait_pause, SYS_pause, PICK_EXACT }, \
	{ "epoll_wait", wait_old_epoll, SYS_epoll_wait, PICK_REPEATED }, \
	{ "timed epoll_wait", wait_old_epoll_timed, SYS_epoll_wait, PICK_REPEATED_TIMED },

#endif
