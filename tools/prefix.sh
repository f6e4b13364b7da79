#!/bin/sh
# `tools/prefix.sh FOLDER [PURPOSE]` unpacks the missing packages of packages.txt, with their dependencies, into FOLDER.
# It needs no root, but apt, dpkg and a network. FOLDER/env.sh then sets the variables of a shell so that compilers and
# CMake find them.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
folder=$(cd "$1" && pwd)
purpose=${2:-build}
helper=/usr/lib/apt/apt-helper
[ -x $helper ] || {
	echo "tools/prefix.sh: apt is missing, so this is not a Debian system; docs/how-to/install.md has other ways" >&2
	exit 1
}

# apt with its own lists and cache, which need no root.
mkdir -p "$folder/apt/lists/partial" "$folder/apt/archives/partial"
private="-o Dir::State=$folder/apt -o Dir::State::Lists=$folder/apt/lists -o Dir::State::status=/var/lib/dpkg/status
	-o Dir::Cache=$folder/apt -o Dir::Log=$folder/apt -o Debug::NoLocking=1 -o APT::Sandbox::User="

missing=$(UNPACKED_PACKAGES=$folder "$here/deps.sh" --missing "$purpose")
if [ -n "$missing" ]; then
	echo "tools/prefix.sh: unpacking into $folder:$missing"
	# shellcheck disable=SC2086 # words
	apt-get $private update -qq
	# shellcheck disable=SC2086
	apt-get $private install --print-uris -qq -y --no-install-recommends $missing >"$folder/apt/uris"
	while read -r uri file _ digest; do
		uri=${uri#\'}
		[ -e "$folder/apt/archives/$file.unpacked" ] || {
			$helper download-file "${uri%\'}" "$folder/apt/archives/$file" "$digest" >/dev/null
			dpkg -x "$folder/apt/archives/$file" "$folder"
			mv "$folder/apt/archives/$file" "$folder/apt/archives/$file.unpacked"
			: >"$folder/apt/archives/$file.unpacked"
		}
	done <"$folder/apt/uris"
	printf '%s\n' $missing >>"$folder/packages"
	find "$folder/usr" -name '*.pc' -exec sed -i "s|=/usr|=$folder/usr|" {} +
fi

# A link whose target the system has, or that is absolute, names nothing here until it is changed.
find "$folder" -xtype l | while read -r link; do
	to=$(readlink "$link")
	case $to in
	/*) ;;
	*) to=$(realpath -ms "$(dirname "$link")/$to") to=${to#"$folder"} ;;
	esac
	if [ -e "$folder$to" ]; then
		ln -sf "$folder$to" "$link"
	elif [ -e "$to" ]; then
		ln -sf "$to" "$link"
	fi
done

libraries=$(find "$folder/usr/lib" "$folder/lib" -maxdepth 1 -name '*-linux-gnu*' 2>/dev/null | tr '\n' ':')$folder/usr/lib/llvm-14/lib
of_gcc=$(find "$folder/usr/lib/gcc" -mindepth 2 -maxdepth 2 2>/dev/null | tr '\n' ':')
of_cpp=$(find "$folder/usr/include/c++" "$folder"/usr/include/*/c++ -mindepth 1 -maxdepth 1 2>/dev/null | tr '\n' ':')
pkgconfig=$(find "$folder/usr" -type d -name pkgconfig | tr '\n' ':')
cat >"$folder/env.sh" <<END
# Tools and libraries that tools/prefix.sh has unpacked: \`. $folder/env.sh\`
export UNPACKED_PACKAGES="$folder"
export PATH="\$PATH:$folder/usr/bin:$folder/usr/sbin"
export LD_LIBRARY_PATH="$libraries\${LD_LIBRARY_PATH:+:\$LD_LIBRARY_PATH}"
export PKG_CONFIG_PATH="$pkgconfig\${PKG_CONFIG_PATH-}"
export C_INCLUDE_PATH="$folder/usr/include\${C_INCLUDE_PATH:+:\$C_INCLUDE_PATH}"
export CPLUS_INCLUDE_PATH="$of_cpp$folder/usr/include\${CPLUS_INCLUDE_PATH:+:\$CPLUS_INCLUDE_PATH}"
export LIBRARY_PATH="$of_gcc$libraries\${LIBRARY_PATH:+:\$LIBRARY_PATH}"
export CMAKE_PREFIX_PATH="$folder/usr:$folder/usr/lib/llvm-14\${CMAKE_PREFIX_PATH:+:\$CMAKE_PREFIX_PATH}"
END
echo "tools/prefix.sh: in a new shell, first: . $folder/env.sh"
