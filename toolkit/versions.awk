# Makes, of `nm` of the runtime's objects, the C source that gives its functions the versions of each soname that nvcc's programs
# ask for. Those of 11.0 are the functions themselves (exports.map); abi12_NAME and abi13_NAME stand for NAME from that version
# on, where what it is called with has changed. NAME_ptsz and NAME_ptds are for programs with a stream per thread, which here is like any
# other.
$2 == "T" && $3 ~ /^(cuda|__cuda|abi1[23]_cuda)/ { defined[$3] = 1 }

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
function export_streams(name, version, target) {
	if (name ~ /^(cudaMemcpy|cudaMemset)/ && name !~ /Async$/)
		export(name "_ptds", version, target)
	else if (name ~ /Async(_v2)?$|^cudaLaunch|^cudaEventRecord|^cudaStream(AddCallback|CopyAttributes|GetAttribute|GetFlags|GetPriority|Query|SetAttribute|Synchronize|WaitEvent)$|^cudaStream(BeginCapture|EndCapture|IsCapturing|GetCaptureInfo|UpdateCapture)|^cudaGraph(Launch|Upload|InstantiateWithParams)$/)
		export(name "_ptsz", version, target)
	else if (name == "__cudaLaunchKernel")
		export(name "_ptsz", version, target)
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
}
