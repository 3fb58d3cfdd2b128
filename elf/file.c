/* SPDX-License-Identifier: MIT */
#include "elf/file.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "elf/headers.h"
#include "elf/section.h"

int elf_offset_read(void *ctx, uint64_t offset, void *buf, size_t size)
{
	const struct elf_file *file = ctx;
	uint8_t *out = buf;
	uint64_t end;

	if (__builtin_add_overflow(offset, size, &end) || end > INT64_MAX)
		return -1;
	while (size) {
		ssize_t got = pread(file->fd, out, size, (off_t)offset);
		if (got < 0 && errno == EINTR)
			continue;
		/* 0: the file ends here, perhaps since a moment ago. */
		if (got <= 0)
			return -1;
		out += got;
		offset += (uint64_t)got;
		size -= (size_t)got;
	}
	return 0;
}

static int read_vaddr(void *ctx, uint64_t vaddr, void *buf, size_t size)
{
	struct elf_file *file = ctx;

	for (size_t i = 0; i < file->segments; i++) {
		const struct elf_segment *segment = &file->segment[i];
		if (vaddr < segment->vaddr || vaddr - segment->vaddr >= segment->size)
			continue;
		uint64_t into = vaddr - segment->vaddr;
		if (size > segment->size - into)
			continue;
		return elf_offset_read(file, segment->offset + into, buf, size);
	}
	return -1;
}

static int keep_segments(struct elf_file *file, const struct elf_headers *headers,
			 struct err *err)
{
	for (size_t i = 0; i < headers->count; i++) {
		const Elf64_Phdr *phdr = &headers->phdr[i];
		uint64_t end;
		if (phdr->p_type != PT_LOAD || phdr->p_filesz == 0)
			continue;
		if (__builtin_add_overflow(phdr->p_offset, phdr->p_filesz, &end) ||
		    __builtin_add_overflow(phdr->p_vaddr, phdr->p_filesz, &end))
			return err_set(err, ERR_FAILED, 0,
				       "malformed ELF: a segment is larger than the address space");
		file->segment[file->segments++] = (struct elf_segment){
			.vaddr = phdr->p_vaddr, .offset = phdr->p_offset, .size = phdr->p_filesz,
		};
	}
	return 0;
}

/* What both ways to open begin with. */
static int look(struct elf_file *file, int fd, struct elf_headers *headers, struct err *err)
{
	struct elf_view view;
	struct stat st;

	memset(file, 0, sizeof *file);
	file->fd = fd;
	if (fstat(fd, &st))
		return err_set(err, ERR_FAILED, errno, "the file cannot be looked at");
	if (!S_ISREG(st.st_mode))
		return err_set(err, ERR_FAILED, 0, "it is not a regular file");
	file->size = (uint64_t)st.st_size;

	elf_view_init(&view, elf_offset_source(file), &file->image.bytes_read);
	if (elf_headers_read(&view, 0, headers, err))
		return -1;
	if (headers->ehdr.e_shentsize == sizeof(Elf64_Shdr)) {
		file->sections = headers->ehdr.e_shoff;
		file->section_count = headers->ehdr.e_shnum;
		file->section_names = headers->ehdr.e_shstrndx;
	}
	return 0;
}

int elf_file_open(struct elf_file *file, int fd, struct err *err)
{
	struct elf_headers headers;
	struct elf_view view;

	_Static_assert(ELF_FILE_SEGMENTS_MAX >= ELF_SEGMENTS_MAX, "each program header fits");
	if (look(file, fd, &headers, err) || keep_segments(file, &headers, err))
		return -1;
	file->image.source = (struct elf_source){ .read = read_vaddr, .ctx = file };
	elf_view_init(&view, file->image.source, &file->image.bytes_read);
	return elf_image_from_headers(&file->image, &view, elf_headers_vaddr(&headers), &headers, err);
}

int elf_file_open_debug(struct elf_file *file, int fd, struct err *err)
{
	struct elf_headers headers;
	struct elf_sections sections;
	Elf64_Shdr section;

	if (look(file, fd, &headers, err) || elf_sections_open(&sections, file, err))
		return -1;
	file->image.machine = headers.ehdr.e_machine;
	file->image.type = headers.ehdr.e_type;
	file->image.source = elf_offset_source(file);
	file->image.high = file->size;
	for (uint64_t i = 1; i < sections.count && !file->image.build_id_size; i++) {
		if (elf_section_read(&sections, i, &section, err))
			return -1;
		if (section.sh_type != SHT_NOTE)
			continue;
		/* Its bytes as a segment of offsets, which is what the image consists of here. */
		elf_notes_read(&file->image, &sections.view, &(Elf64_Phdr){ .p_vaddr = section.sh_offset,
			       .p_filesz = section.sh_size, .p_align = section.sh_addralign });
	}
	return 0;
}

static int refuse(struct err *err, const char *reason, const char *remedy)
{
	err_set(err, ERR_NOT_POSSIBLE, 0, "%s", reason);
	return err_remedy(err, "%s", remedy);
}

int elf_file_loadable(const struct elf_file *file, uint16_t machine, struct err *err)
{
	const struct elf_image *image = &file->image;
	char own[32], wanted[32];

	if (image->machine != machine) {
		const char *name = elf_machine_name(machine, wanted, sizeof wanted);
		err_set(err, ERR_NOT_POSSIBLE, 0, "it is for %s, the process is %s",
			elf_machine_name(image->machine, own, sizeof own), name);
		return err_remedy(err, "give a library that was built for %s", name);
	}
	if (image->type != ET_DYN || (image->flags_1 & DF_1_PIE))
		return refuse(err, "it is a program, not a shared library",
			      "link it with -shared");
	if (!image->dynamic)
		return refuse(err, "it has no dynamic section (a debug file, or a static program?)",
			      "give the shared library itself");
	if (image->flags_1 & DF_1_NOOPEN)
		return refuse(err, "it was linked with -z nodlopen, which forbids dlopen",
			      "link it without -z nodlopen");
	if (image->wants_exec_stack)
		return refuse(err, "it wants an executable stack: new C libraries refuse that, "
			      "older ones make every stack of the process executable",
			      "link it with -z noexecstack");
	for (size_t i = 0; i < file->segments; i++)
		if (file->segment[i].offset + file->segment[i].size > file->size)
			return refuse(err, "the file is truncated: the process would get SIGBUS",
				      "build or copy it again");
	return 0;
}
