#!/bin/sh
# container-root.sh EXECUTABLE FOLDER: what a container with nothing else needs to run the executable, in a new folder:
# the C and C++ libraries it is linked to, an empty /tmp, and /data for a user without rights.
set -eu
mkdir -p "$2/data" "$2/tmp"
cp "$1" "$2/flagstone"
ldd "$1" | grep -o '/[^ ]*' | xargs cp --parents --dereference -t "$2"
chmod 1777 "$2/tmp"
chown 65532:65532 "$2/data"
