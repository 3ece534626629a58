#!/bin/sh
# container-root.sh EXECUTABLE FOLDER: creates the root folder of a minimal container: the executable, the C and C++
# libraries it is linked to, an empty /tmp, and /data, owned by an unprivileged user.
set -eu
mkdir -p "$2/data" "$2/tmp"
cp "$1" "$2/flagstone"
ldd "$1" | grep -o '/[^ ]*' | xargs cp --parents --dereference -t "$2"
chmod 1777 "$2/tmp"
chown 65532:65532 "$2/data"
