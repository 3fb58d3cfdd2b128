/* SPDX-License-Identifier: MIT */
/*
 * A library whose functions are named by different tables: exported ones by .dynsym, the others by
 * .symtab alone.  It is looked at and never run.
 */
int named_global(int x);
int named_weak(int x);
int __named_alias(int x);
int named_inner(int x) __asm__("_ZN5named5innerEi") __attribute__((visibility("hidden")));

/* Different bodies, or compilers would make one of them. */
static __attribute__((noinline, used)) int named_hidden(int x)
{
	return x * 3 + 1;
}

int named_inner(int x)
{
	return named_hidden(x) * 5;
}

int named_global(int x)
{
	return named_inner(x) + named_hidden(x + 1);
}

int __named_alias(int x) __attribute__((alias("named_global")));
int named_weak(int x) __attribute__((weak, alias("named_global")));

/* As in hand-written code: neither a type nor a size.  A label in a function names no place of its own. */
__asm__(".text\n"
	".p2align 4\n"
	".type named_sized, %function\n"
	"named_sized: nop\n nop\n nop\n nop\n"
	"named_inside: nop\n nop\n nop\n nop\n"
	".size named_sized, . - named_sized\n"
	".p2align 4\n"
	"named_label: nop\n nop\n nop\n nop\n"
	".type named_sizeless, %function\n"
	"named_sizeless: nop\n nop\n nop\n nop\n"
	".type \"named;odd<T>\", %function\n"
	"\"named;odd<T>\": nop\n nop\n nop\n nop\n"
	".size \"named;odd<T>\", 4\n");
