// SPDX-License-Identifier: MIT
// deep: C++ threads that stand still within a catch block, within a destructor while an exception passes, within a
// deep recursion of templates, and in a function that a standard algorithm calls.  Prints its pid once all stand.
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <sys/prctl.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {
int quiet[2];
std::atomic<int> standing;

[[gnu::noinline]] void stand()
{
	char byte;
	standing++;
	if (read(quiet[0], &byte, 1) < 0)
		perror("read");
	__asm__ volatile("" ::: "memory");
}

[[gnu::noinline]] void thrower(int how)
{
	if (how)
		throw std::runtime_error("made on purpose " + std::to_string(how));
}

[[gnu::noinline]] void in_catch()
{
	try {
		thrower(1);
	} catch (const std::exception &e) {
		stand();
	}
	__asm__ volatile("" ::: "memory");
}

struct stands_at_end {
	[[gnu::noinline]] ~stands_at_end() { stand(); __asm__ volatile("" ::: "memory"); }
};

[[gnu::noinline]] void in_cleanup()
{
	stands_at_end here;
	thrower(2);
}

[[gnu::noinline]] void in_destructor()
{
	try {
		in_cleanup();
	} catch (const std::exception &) {
	}
	__asm__ volatile("" ::: "memory");
}

template <typename T> struct climber {
	T weight;
	[[gnu::noinline]] T climb(unsigned depth)
	{
		T below = depth ? climb(depth - 1) : (stand(), T());
		__asm__ volatile("" ::: "memory");
		return below + weight;
	}
};

[[gnu::noinline]] void in_templates()
{
	climber<double> one{ 1.5 };
	one.climb(200);
	__asm__ volatile("" ::: "memory");
}

[[gnu::noinline]] void in_algorithm()
{
	std::vector<std::string> words{ "b", "a", "c" };
	std::sort(words.begin(), words.end(), [](const std::string &a, const std::string &b) {
		stand();
		return a < b;
	});
	__asm__ volatile("" ::: "memory");
}

[[gnu::noinline]] void begin(const char *name, void (*what)())
{
	prctl(PR_SET_NAME, name);
	what();
	__asm__ volatile("" ::: "memory");
}
}

int main()
{
	static const struct { const char *name; void (*what)(); } all[] = {
		{ "catch", in_catch }, { "destructor", in_destructor }, { "templates", in_templates }, { "algorithm", in_algorithm },
	};
	if (pipe(quiet))
		return 1;
	for (const auto &one : all)
		std::thread(begin, one.name, one.what).detach();
	while (standing < 4)
		usleep(1000);
	usleep(100000);
	printf("%d\n", int(getpid()));
	fflush(stdout);
	pause();
}
