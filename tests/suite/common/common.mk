# Rules for programs of C and CUDA objects, linked by g++.
CUDA_INSTALL_PATH ?= /usr/local/cuda

CC   := gcc
CXX  := g++
LINK := g++ -fPIC
NVCC := $(CUDA_INSTALL_PATH)/bin/nvcc

INCLUDES  += -I. -I../common -I$(CUDA_INSTALL_PATH)/include
COMMONFLAGS += $(INCLUDES) -DUNIX
SMVERSIONFLAGS ?= -gencode=arch=compute_20,code=\"sm_20,compute_20\" -gencode=arch=compute_35,code=\"sm_35,compute_35\"
NVCCFLAGS += $(SMVERSIONFLAGS) --compiler-options -fno-strict-aliasing
CFLAGS    += -O2 -W -Wall -std=gnu99
LIB       := -L$(CUDA_INSTALL_PATH)/lib64 -lcudart -lm

OBJDIR := obj
OBJS   := $(patsubst %.c,$(OBJDIR)/%.c.o,$(CFILES)) $(patsubst %.cu,$(OBJDIR)/%.cu.o,$(CUFILES))

$(EXECUTABLE): $(OBJS)
	$(LINK) -o $@ $(OBJS) $(LIB)

$(OBJDIR)/%.c.o: %.c $(HEADERS)
	@mkdir -p $(OBJDIR)
	$(CC) $(COMMONFLAGS) $(CFLAGS) -o $@ -c $<

$(OBJDIR)/%.cu.o: %.cu $(HEADERS)
	@mkdir -p $(OBJDIR)
	$(NVCC) $(NVCCFLAGS) $(COMMONFLAGS) -o $@ -c $<

tidy:
	rm -f *~

clean: tidy
	rm -rf $(OBJDIR) $(EXECUTABLE)
