# Converts the output of `nm` of the runtime's objects to C source that gives its functions symbol versions, for each
# soname that nvcc's programs need. Version 11.0 has the functions themselves (exports.map). Where the parameters of
# NAME changed, abi12_NAME or abi13_NAME replaces it from that version on. NAME_ptsz and NAME_ptds (cudart/per_thread.c)
# serve programs with per-thread default streams. A function that such programs call must have one, or be in `plain`:
# functions without a stream, or that are synchronous and always run in the legacy stream.
$2 == "T" && $3 ~ /^(cuda|__cuda|abi1[23]_cuda)/ { defined[$3] = 1 }
$2 == "T" && $3 ~ /^cu[A-Z]/ { driver[$3] = 1 }

function implementation(name, version, older) {
	if (version == 13 && ("abi13_" name) in defined)
		return "abi13_" name
	if (version >= 12 && ("abi12_" name) in defined)
		return "abi12_" name
	return name in defined ? name : ""
}
function export(name, version, target, node, alias) {
	alias = "of" version "_" name
	node = version == 11 ? "11.0" : version
	printf "ENTRY(\"%s\", \"%s\", \"%s@libcudart.so.%s\")\n", alias, target, name, node
}
function suffix(name) {
	if (name ~ /_pt(ds|sz)$/)
		return ""
	if (name ~ /^(cudaMemcpy|cudaMemset)/ && name !~ /Async$/)
		return "_ptds"
	if (name == "__cudaLaunchKernel" || name ~ /Async(_v2)?$|^cudaLaunch|^cudaEventRecord|^cudaStream(AddCallback|CopyAttributes|GetAttribute|GetDevice|GetFlags|GetId|GetPriority|Query|SetAttribute|Synchronize|WaitEvent)$|^cudaStream(BeginCapture|EndCapture|IsCapturing|GetCaptureInfo|UpdateCapture)|^cudaGraph(Launch|Upload|InstantiateWithParams)$|^cudaGetDriverEntryPoint/)
		return "_ptsz"
	return ""
}
function export_streams(name, version, target, of) {
	of = suffix(name)
	if (of == "" || (name of) in defined)
		return
	if (!(name in plain)) {
		print "versions.awk: cudart/per_thread.c has no " name of > "/dev/stderr"
		failed = 1
	}
	export(name of, version, target)
}
function driver_suffix(name) {
	if (name ~ /_pt(ds|sz)$/)
		return ""
	sub(/_v[0-9]$/, "", name)
	if (name ~ /^cuMem(cpy|set)/ && name !~ /Async$/)
		return "_ptds"
	if (name ~ /^cuStream/ && name !~ /^cuStream(Create|CreateWithPriority|Destroy)$/)
		return "_ptsz"
	return name ~ /Async$|^cuLaunch(Kernel|KernelEx|CooperativeKernel|HostFunc)$|^cuEventRecord|^cuGraph(Launch|Upload|InstantiateWithParams)$/ ? "_ptsz" : ""
}
function check_driver(name, of) {
	of = driver_suffix(name)
	if (of == "" || (name of) in driver || name in plain)
		return
	print "versions.awk: cudart/driver_per_thread.c has no " name of > "/dev/stderr"
	failed = 1
}
BEGIN {
	split("cudaGraphInstantiateWithParams cudaLaunchCooperativeKernelMultiDevice cudaMemcpyArrayToArray cudaMemcpy2DArrayToArray cudaSignalExternalSemaphoresAsync cudaSignalExternalSemaphoresAsync_v2 cudaWaitExternalSemaphoresAsync cudaWaitExternalSemaphoresAsync_v2 cuLaunchGridAsync", list, " ")
	for (i in list)
		plain[list[i]] = 1
}
END {
	print "/* Made by versions.awk. */"
	print "#if defined(__x86_64__)"
	print "#define JUMP(target) \"jmp \" target \"@PLT\\n\""
	print "#else"
	print "#define JUMP(target) \"b \" target \"\\n\""
	print "#endif"
	print "#define ENTRY(alias, target, version) \\"
	print "\t__asm__(\".text\\n.globl \" alias \"\\n.type \" alias \", %function\\n\" alias \":\\n\" JUMP(target) \".symver \" alias \", \" version \"\\n\");"
	for (name in defined) {
		if (name ~ /^abi/) {
			sub(/^abi1[23]_/, "", name)
			if (name in defined)
				continue
		}
		names[name] = 1
	}
	for (name in names)
		for (version = 11; version <= 13; version++) {
			target = implementation(name, version)
			if (target == "")
				continue
			if (version > 11)
				export(name, version, target)
			export_streams(name, version, target)
		}
	for (name in driver)
		check_driver(name)
	exit failed
}
