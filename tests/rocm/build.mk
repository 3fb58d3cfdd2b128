# SPDX-License-Identifier: MIT
# A system with the real librocprofiler-register and stand-ins for the rest of ROCm, laid out like AMD's
# prefix. Where a test wants another library, the target's LD_LIBRARY_PATH names a folder before lib:
#   nolistener    the attach library without its thread       sdk-1.0   an SDK without attach entry points
#   sdk-1.1       the first one that has them
#   tables        a tool beside the attach library that writes tables, as AMD's does
#   nosdk         all that lib has, but no SDK (alone in LD_LIBRARY_PATH)
R := $(F)/root-rocm
RX := tests/rocm
ROCM_FLAGS := -std=gnu11 -O0 -Wall -Wextra -Werror -fvisibility=hidden -I. -Itests -I$(RX) -ffile-prefix-map=$(CURDIR)/= \
	-isystem $(ROOT_sid_$(ARCH))/usr/include
ROCM_HEADERS := $(wildcard $(RX)/*.h) rocp/tool_abi.h tests/fixtures/record.h $(RX)/build.mk
ROCM_CC = $(CC_sid_$(ARCH)) $(ROCM_FLAGS)
ROCM_SHARED = $(ROCM_CC) -fPIC -shared -Wl,--build-id=sha1 -Wl,-z,defs -Wl,-soname,$(@F) -pthread

# What the register needs, by its own word and that of those it needs.
ROCM_NEEDED := $(RX)/needed.sh

ROCM_LIBRARIES := $(addprefix $(R)/,lib/libhsa-runtime64.so.1 lib/libamdhip64.so.7 lib/librocprofiler-sdk.so.1 \
	lib/librocprofiler-sdk-attach.so.1 lib/rocprofiler-sdk/librocprofiler-sdk-tool.so.1 \
	nolistener/librocprofiler-sdk-attach.so.1 sdk-1.0/librocprofiler-sdk.so.1 sdk-1.1/librocprofiler-sdk.so.1)
ROCM_TOOLS := $(patsubst %,$(R)/tools/%.so,libroclatch-tool librefuses libslow libcrashes libneeds libexecstack \
	libothercpu libsecond)
FIXTURES += $(R)/lib/.made $(R)/nosdk/.made $(ROCM_LIBRARIES) $(ROCM_TOOLS) $(R)/rocm-app $(R)/rocm-app-startup

$(R)/lib/.made: $(RX)/build.mk $(ROCM_NEEDED)
	@mkdir -p $(@D)
	sh $(ROCM_NEEDED) $(CROSS_$(ARCH))readelf $(LIB_sid_$(ARCH)) librocprofiler-register.so.0 $(@D)
	cp -L $(ROOT_sid_$(ARCH))$(LOADER_glibc_$(ARCH)) $(@D)/
	@touch $@

# shared with the linker's usual name beside it
define rocm_library
@mkdir -p $(@D)
$(ROCM_SHARED) $(1) -o $@
ln -sf $(@F) $(basename $@)
endef
ROCM_REGISTER = -L$(R)/lib -l:librocprofiler-register.so.0 -Wl,-rpath-link,$(R)/lib

$(R)/lib/libhsa-runtime64.so.1: $(RX)/hsa.c $(ROCM_HEADERS) $(R)/lib/.made
	$(call rocm_library,$< $(ROCM_REGISTER))

HIP_SOURCES := $(addprefix $(RX)/,hip.c device.c kernels.c)
$(R)/lib/libamdhip64.so.7: $(HIP_SOURCES) $(ROCM_HEADERS) $(R)/lib/libhsa-runtime64.so.1
	$(call rocm_library,$(HIP_SOURCES) -l:libhsa-runtime64.so.1 $(ROCM_REGISTER))

$(R)/lib/librocprofiler-sdk-attach.so.1: $(RX)/attach.c $(ROCM_HEADERS) $(R)/lib/.made
	$(call rocm_library,$<)

# with AMD's tool where attachers look for it: below the folder of the attach library
$(R)/nolistener/librocprofiler-sdk-attach.so.1: $(RX)/attach.c $(ROCM_HEADERS) $(R)/lib/.made
	$(call rocm_library,-DWITHOUT_LISTENER $<)
	ln -sfn ../lib/rocprofiler-sdk $(@D)/rocprofiler-sdk

$(R)/tables/librocprofiler-sdk-attach.so.1: $(RX)/attach.c $(ROCM_HEADERS) $(R)/lib/.made
	$(call rocm_library,$<)
$(R)/tables/rocprofiler-sdk/librocprofiler-sdk-tool.so.1: $(RX)/tool_tables.c $(ROCM_HEADERS) $(R)/lib/librocprofiler-sdk.so.1
	$(call rocm_library,$< $(ROCM_SDK) -Wl$(comma)-rpath$(comma)'$$ORIGIN/../../lib')
FIXTURES += $(R)/tables/librocprofiler-sdk-attach.so.1 $(R)/tables/rocprofiler-sdk/librocprofiler-sdk-tool.so.1

# That structures are as upstream's headers have them, by numbers that were measured there.
OFFSETS := $(RX)/offsets.awk $(RX)/upstream_offsets.tsv
offsets = @mkdir -p $(@D) && awk -v version=$(1) -v headers="$(2)" -f $(RX)/offsets.awk $(3) $(RX)/upstream_offsets.tsv > $@
$(B)/obj/rocm/offsets-%.c: $(RX)/offsets_stand_in.map $(OFFSETS)
	$(call offsets,$*,sdk_abi.h,$<)
$(B)/obj/rocm/offsets-tool-%.c: $(RX)/offsets_tool.map $(OFFSETS)
	$(call offsets,$*,rocp/tool/sdk.h,$<)
$(B)/obj/rocm/offsets-log-%.c: $(RX)/offsets_log.map $(OFFSETS)
	$(call offsets,$*,rocp/log.h,$<)
$(B)/obj/rocm/offsets-%.o: $(B)/obj/rocm/offsets-%.c $(wildcard rocp/log.h rocp/tool/sdk.h)
	$(ROCM_CC) -c $< -o $@
FIXTURES += $(patsubst %,$(B)/obj/rocm/offsets-%.o,$(foreach v,10000 10100 10300,log-$(v) \
	$(if $(wildcard rocp/tool/sdk.h),tool-$(v))))

SDK_SOURCES := $(sort $(wildcard $(RX)/sdk*.c))
$(R)/lib/librocprofiler-sdk.so.1: $(SDK_SOURCES) $(B)/obj/rocm/offsets-10300.c $(ROCM_HEADERS) $(R)/lib/.made
	$(call rocm_library,-DSDK_VERSION=10300 $(filter %.c,$^))

$(R)/sdk-1.0/librocprofiler-sdk.so.1: $(SDK_SOURCES) $(B)/obj/rocm/offsets-10000.c $(ROCM_HEADERS) $(R)/lib/.made
	$(call rocm_library,-DSDK_VERSION=10000 $(filter %.c,$^))

$(R)/sdk-1.1/librocprofiler-sdk.so.1: $(SDK_SOURCES) $(B)/obj/rocm/offsets-10100.c $(ROCM_HEADERS) $(R)/lib/.made
	$(call rocm_library,-DSDK_VERSION=10100 $(filter %.c,$^))

ROCM_SDK = -L$(R)/lib -l:librocprofiler-sdk.so.1 -Wl,--enable-new-dtags
$(R)/lib/rocprofiler-sdk/librocprofiler-sdk-tool.so.1: $(RX)/tool.c $(ROCM_HEADERS) $(R)/lib/librocprofiler-sdk.so.1
	$(call rocm_library,$< $(ROCM_SDK) -Wl$(comma)-rpath$(comma)'$$ORIGIN/..')
comma := ,

# Tools that a user might name, most of them with a fault.
TOOL_libroclatch-tool := -DOWN_TOOL
TOOL_librefuses := -DREFUSES
TOOL_libslow := -DSLOW
TOOL_libcrashes := -DCRASHES
TOOL_libneeds := -Wl,--no-as-needed -l:libnowhere.so.9
TOOL_libexecstack := -Wl,-z,execstack
TOOL_libothercpu :=
TOOL_libsecond :=
MACHINE_x86_64 := \076\000
MACHINE_aarch64 := \267\000
OTHER_x86_64 := aarch64
OTHER_aarch64 := x86_64

$(R)/tools/%.so: $(RX)/tool.c $(ROCM_HEADERS) $(R)/lib/librocprofiler-sdk.so.1 $(B)/obj/rocm/libnowhere.so.9
	@mkdir -p $(@D)
	$(ROCM_SHARED) $< -L$(B)/obj/rocm $(ROCM_SDK) $(TOOL_$*) -Wl,--no-warnings -Wl,-rpath,'$$ORIGIN/../lib' -o $@
	$(if $(filter libothercpu,$*),printf '$(MACHINE_$(OTHER_$(ARCH)))' | dd of=$@ bs=1 seek=18 conv=notrunc status=none)

# Linked against and never installed.
$(B)/obj/rocm/libnowhere.so.9: $(R)/lib/.made
	@mkdir -p $(@D)
	echo 'int nowhere;' | $(ROCM_SHARED) -x c - -o $@

APP_SOURCES := $(addprefix $(RX)/,app.c app_forks.c app_orders.c app_ranks.c app_register.c app_work.c)
# these compute
ROCM_PROGRAM = $(ROCM_CC) -O1 -fPIE -pie $(1) -L$(R)/lib -l:libamdhip64.so.7 $(ROCM_REGISTER) -pthread \
	-Wl,--enable-new-dtags -Wl,-rpath,'$$ORIGIN/lib' -Wl,--dynamic-linker=lib/$(notdir $(LOADER_glibc_$(ARCH))) -o $@

$(R)/rocm-app: $(APP_SOURCES) $(ROCM_HEADERS) $(R)/lib/libamdhip64.so.7
	$(call ROCM_PROGRAM,$(APP_SOURCES))

$(R)/rocm-app-startup: $(APP_SOURCES) $(RX)/app_startup.c $(ROCM_HEADERS) $(R)/lib/libamdhip64.so.7
	$(call ROCM_PROGRAM,-rdynamic $(APP_SOURCES) $(RX)/app_startup.c)

# What roclatch selftest has hipcc compile, by this compiler.
$(R)/selftest-sample: rocp/sample.hip $(RX)/include/hip/hip_runtime.h $(ROCM_HEADERS) $(R)/lib/libamdhip64.so.7
	$(call ROCM_PROGRAM,-I$(RX)/include -x c $< -x none)
FIXTURES += $(R)/selftest-sample

$(R)/check-sdk: $(RX)/check_sdk.c $(RX)/check_lines.c $(ROCM_HEADERS) $(R)/lib/libamdhip64.so.7 $(R)/lib/librocprofiler-sdk.so.1
	$(call ROCM_PROGRAM,-rdynamic $(filter %.c,$^) -L$(R)/lib -l:librocprofiler-sdk.so.1)
FIXTURES += $(R)/check-sdk

# The register looks beside itself, so it is the one that is no link.
$(R)/nosdk/.made: $(ROCM_LIBRARIES)
	@mkdir -p $(@D)
	cd $(@D) && ln -sf ../lib/lib*.so* .
	rm $(@D)/librocprofiler-sdk.so $(@D)/librocprofiler-sdk.so.1 $(@D)/librocprofiler-register*
	cp -P $(R)/lib/librocprofiler-register* $(@D)/
	@touch $@
