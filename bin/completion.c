/* SPDX-License-Identifier: MIT */
/* roclatch completion: a script for the shell, which asks the program itself what can come next. */
#include <string.h>

#include "bin/command.h"
#include "bin/completing.h"
#include "rocp/nearest.h"

const char completion_text[] =
	"Prints a script that makes the shell complete commands, options, their values, files, and\n"
	"process ids (those of processes that use a GPU, if there are any; else all).  For each\n"
	"completion the script runs the roclatch of the command line (roclatch completion words --\n"
	"WORD...), so that both always agree.  The names rocprofv3, rocprof-attach and rocprofv3-attach\n"
	"are not completed, as they may be AMD's own programs.\n"
	"\n"
	"Put the first of these lines into ~/.bashrc, or the second into ~/.zshrc after compinit, or run\n"
	"the third once.\n"
	"\n"
	"examples:\n"
	"  source <(roclatch completion bash)\n"
	"  source <(roclatch completion zsh)\n"
	"  roclatch completion fish > ~/.config/fish/completions/roclatch.fish\n";

static const char bash[] =
	"# roclatch completion for bash\n"
	"_roclatch() {\n"
	"\tlocal line\n"
	"\tCOMPREPLY=()\n"
	"\twhile IFS= read -r line; do\n"
	"\t\tcase $line in\n"
	"\t\t:files) compopt -o default ;;\n"
	"\t\t:folders) compopt -o dirnames ;;\n"
	"\t\t*) COMPREPLY+=(\"${line%%$'\\t'*}\") ;;\n"
	"\t\tesac\n"
	"\tdone < <(\"${COMP_WORDS[0]/#\\~/$HOME}\" completion words -- \"${COMP_WORDS[@]:1:COMP_CWORD}\" 2>/dev/null)\n"
	"}\n"
	"complete -F _roclatch roclatch\n";

static const char zsh[] =
	"#compdef roclatch\n"
	"# roclatch completion for zsh\n"
	"_roclatch() {\n"
	"\tlocal line kind\n"
	"\tlocal -a found shown\n"
	"\twhile IFS= read -r line; do\n"
	"\t\tcase $line in\n"
	"\t\t(:files) kind=-f ;;\n"
	"\t\t(:folders) kind=-/ ;;\n"
	"\t\t(*) found+=(\"${line%%$'\\t'*}\") shown+=(\"${line/$'\\t'/  -- }\") ;;\n"
	"\t\tesac\n"
	"\tdone < <(\"${${(Q)words[1]}/#\\~/$HOME}\" completion words -- \"${(@Q)words[2,CURRENT-1]}\" \"${(Q)PREFIX}\" 2>/dev/null)\n"
	"\tif [[ -n $kind ]]; then\n"
	"\t\tcompset -P '-*='\n"
	"\t\t_files $kind\n"
	"\telse\n"
	"\t\tcompadd -l -d shown -a -- found\n"
	"\tfi\n"
	"}\n"
	"if [[ $funcstack[1] = _roclatch ]]; then _roclatch \"$@\"; else compdef _roclatch roclatch; fi\n";

static const char fish[] =
	"# roclatch completion for fish\n"
	"function __roclatch\n"
	"\tset -l now (commandline -ct)\n"
	"\tset -l words (commandline -opc) \"$now\"\n"
	"\tset -l program (string replace -r '^~' $HOME -- $words[1])\n"
	"\tfor line in ($program completion words -- $words[2..-1] 2>/dev/null)\n"
	"\t\tswitch $line\n"
	"\t\t\tcase :files\n"
	"\t\t\t\t__fish_complete_path $words[-1]\n"
	"\t\t\tcase :folders\n"
	"\t\t\t\t__fish_complete_directories $words[-1]\n"
	"\t\t\tcase '*'\n"
	"\t\t\t\techo $line\n"
	"\t\tend\n"
	"\tend\n"
	"end\n"
	"complete -c roclatch -f -a '(__roclatch)'\n";

static const char names[][5] = { "bash", "zsh", "fish" };

static const char *next_shell(void *ctx)
{
	size_t *at = ctx;
	return *at < sizeof names / sizeof *names ? names[(*at)++] : NULL;
}

int command_completion(const struct settings *settings, char **operands, int n, struct output *out, struct err *err)
{
	(void)settings;
	(void)out;
	if (!strcmp(operands[0], "words"))
		return complete_words(operands + 1, n - 1, err);
	if (n > 1) {
		err_set(err, ERR_USAGE, 0, "completion: too many arguments");
		return err_remedy(err, "usage: roclatch completion bash|zsh|fish");
	}
	const char *script = !strcmp(operands[0], "bash") ? bash : !strcmp(operands[0], "zsh") ? zsh :
			     !strcmp(operands[0], "fish") ? fish : NULL;
	if (script) {
		fputs(script, stdout);
		return 0;
	}
	/* another shell is meant, not a misspelt one */
	static const char *const others[] = { "sh", "ash", "dash", "ksh", "mksh", "csh", "tcsh" };
	size_t at = 0;
	const char *meant = nearest(operands[0], next_shell, &at);
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (!strcmp(operands[0], others[i]))
			meant = NULL;
	err_set(err, ERR_USAGE, 0, "there is no completion for '%s'", operands[0]);
	return meant ? err_remedy(err, "did you mean %s?", meant) : err_remedy(err, "use bash, zsh or fish");
}
