# common.mk: rules for programs of the GPU Computing SDK (up to CUDA 4), with the variables of its Makefiles:
#
#   EXECUTABLE, or STATIC_LIB                the output, in $(BINDIR)/$(BINSUBDIR) or $(LIBDIR)
#   CUFILES, CCFILES, CFILES, CUFILES_sm_NN  sources in $(SRCDIR); CU_DEPS, C_DEPS: further dependencies
#   INCLUDES, CFLAGS, CXXFLAGS, NVCCFLAGS, CUDACCFLAGS, LINKFLAGS, LIB, GENCODE_ARCH, SMVERSIONFLAGS
#   USECUFFT, USECUBLAS, USECURAND, USEDRVAPI, USEGLLIB, USEGLUT, dbg, fastmath, keep, ptxas, maxregisters, verbose
#
# This file is in the toolkit, which is the default of CUDA_INSTALL_PATH.
COMMONDIR := $(patsubst %/,%,$(dir $(realpath $(lastword $(MAKEFILE_LIST)))))
CUDA_INSTALL_PATH ?= $(realpath $(COMMONDIR)/../../..)

ifeq ($(dbg),1)
  BINSUBDIR ?= debug
  COMMONFLAGS += -g -D_DEBUG
else
  BINSUBDIR ?= release
  COMMONFLAGS += -O2
endif
ROOTDIR    ?= ..
ROOTBINDIR ?= $(ROOTDIR)/../bin
BINDIR     ?= $(ROOTBINDIR)/linux
ROOTOBJDIR ?= obj
LIBDIR     := $(ROOTDIR)/../lib
OBJDIR     := $(ROOTOBJDIR)/x86_64/$(BINSUBDIR)

NVCC := $(CUDA_INSTALL_PATH)/bin/nvcc
CXX  := g++ -fPIC
CC   := gcc -fPIC
LINK := g++ -fPIC $(LINKFLAGS)

INCLUDES    += -I. -I$(CUDA_INSTALL_PATH)/include -I$(COMMONDIR)/inc
COMMONFLAGS += $(INCLUDES) -DUNIX
CFLAGS      += $(COMMONFLAGS) -fno-strict-aliasing
CXXFLAGS    += $(COMMONFLAGS) -fno-strict-aliasing
NVCCFLAGS   += $(COMMONFLAGS) --compiler-options -fno-strict-aliasing $(CUDACCFLAGS) $(GENCODE_ARCH)
ifeq ($(fastmath),1)
  NVCCFLAGS += -use_fast_math
endif
ifdef maxregisters
  NVCCFLAGS += -maxrregcount $(maxregisters)
endif
ifeq ($(ptxas),1)
  NVCCFLAGS += --ptxas-options=-v
endif

LIB += -L$(CUDA_INSTALL_PATH)/lib64 -L$(COMMONDIR)/../lib -lcudart
LIB += $(if $(filter 1,$(USEDRVAPI)),-lcuda) $(if $(filter 1,$(USECUFFT)),-lcufft) $(if $(filter 1,$(USECUBLAS)),-lcublas)
LIB += $(if $(filter 1,$(USECURAND)),-lcurand) $(if $(filter 1,$(USEGLLIB)),-lGL -lGLU) $(if $(filter 1,$(USEGLUT)),-lglut)

CUFILES_ALL := $(CUFILES) $(foreach version,10 11 12 13 20 21 30,$(CUFILES_sm_$(version)))
OBJS += $(patsubst %.cpp,$(OBJDIR)/%.cpp.o,$(notdir $(CCFILES)))
OBJS += $(patsubst %.c,$(OBJDIR)/%.c.o,$(notdir $(CFILES)))
OBJS += $(patsubst %.cu,$(OBJDIR)/%.cu.o,$(notdir $(CUFILES_ALL)))

ifneq ($(STATIC_LIB),)
  TARGETDIR := $(LIBDIR)
  TARGET    := $(LIBDIR)/$(subst .a,_x86_64.a,$(STATIC_LIB))
  LINKLINE   = ar rcs $(TARGET) $(OBJS)
else
  TARGETDIR := $(BINDIR)/$(BINSUBDIR)
  TARGET    := $(TARGETDIR)/$(strip $(EXECUTABLE))
  LINKLINE   = $(LINK) -o $(TARGET) $(OBJS) $(LIB)
endif
VERBOSE := $(if $(filter 1,$(verbose)),,@)

$(TARGET): $(OBJS) | $(TARGETDIR)
	$(VERBOSE)$(LINKLINE)

$(OBJDIR)/%.c.o: $(SRCDIR)%.c $(C_DEPS) | $(OBJDIR)
	$(VERBOSE)$(CC) $(CFLAGS) -o $@ -c $<

$(OBJDIR)/%.cpp.o: $(SRCDIR)%.cpp $(C_DEPS) | $(OBJDIR)
	$(VERBOSE)$(CXX) $(CXXFLAGS) -o $@ -c $<

$(OBJDIR)/%.cu.o: $(SRCDIR)%.cu $(CU_DEPS) | $(OBJDIR)
	$(VERBOSE)$(NVCC) $(NVCCFLAGS) $(SMVERSIONFLAGS) -o $@ -c $<

$(OBJDIR) $(TARGETDIR):
	$(VERBOSE)mkdir -p $@

.PHONY: tidy clean clobber
tidy:
clean: tidy
	$(VERBOSE)rm -rf $(ROOTOBJDIR) $(TARGET)
clobber: clean
