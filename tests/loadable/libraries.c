/* SPDX-License-Identifier: MIT */
/* Small libraries that need each other; which one this is, the build says. */
#include <string.h>

#if defined LEAF
int leaf(void);
int leaf(void) { return 1; }
#elif defined MIDDLE
int leaf(void), middle(void);
int middle(void) { return leaf(); }
#elif defined TOP
int middle(void), top(void);
int top(void) { return middle(); }
#elif defined VERSIONED
int first(void);
int first(void) { return 1; }
#if VERSIONED > 1
int second(void);
int second(void) { return 2; }
#endif
#elif defined USES
int second(void), uses(void);
int uses(void) { return second(); }
#elif defined USES_WEAKLY
__attribute__((weak)) int second(void);
int uses(void);
int uses(void) { return second ? second() : 0; }
#elif defined NEW_LIBC
/* a function of glibc 2.38 */
size_t copied(char *to, const char *from);
size_t copied(char *to, const char *from) { return strlcpy(to, from, 8); }
#endif
