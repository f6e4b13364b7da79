#!/bin/sh
# Runs `./setup TARGET` as the first command on a bare Debian 12: `tools/bare_debian.sh FOLDER TARGET...`, as root.
# FOLDER becomes a minbase system (debootstrap: no make, no git) with the files of HEAD unpacked in it. An existing
# system in FOLDER is reused.
set -eu
folder=$1
shift
cd "$(dirname "$0")/.."

[ -e "$folder/etc/debian_version" ] || debootstrap --variant=minbase bookworm "$folder" http://deb.debian.org/debian
rm -rf "$folder/sluice"
mkdir "$folder/sluice"
git archive HEAD | tar -x -C "$folder/sluice"
for mount in proc dev; do
	mkdir -p "$folder/$mount"
	mountpoint -q "$folder/$mount" || mount --rbind /$mount "$folder/$mount"
done
trap 'umount -l "$folder/proc" "$folder/dev"' EXIT
chroot "$folder" /bin/sh -c 'cd /sluice && exec ./setup "$@"' setup "$@"
